/** An event: shares of a company are bought or sold. Times are milliseconds, {@code id} is the position in the stream. */
public final class Stock {
    private final int id;
    private final String type;
    private final String name;
    private final int volume;
    private final double price;
    private final long time;

    Stock(int id, String type, String name, int volume, double price, long time) {
        this.id = id;
        this.type = type;
        this.name = name;
        this.volume = volume;
        this.price = price;
        this.time = time;
    }

    /** The event of a line {@code event_type,id,name,volume,price,stock_time} of a CSV file. */
    static Stock of(int position, String line) {
        String[] cells = line.split(",");
        int volume = Integer.parseInt(cells[3]);
        double price = Double.parseDouble(cells[4]);
        return new Stock(position, cells[0].intern(), cells[2].intern(), volume, price, Long.parseLong(cells[5]));
    }

    public int getId() {
        return id;
    }

    public String getType() {
        return type;
    }

    public String getName() {
        return name;
    }

    public int getVolume() {
        return volume;
    }

    public double getPrice() {
        return price;
    }

    public long getTime() {
        return time;
    }
}
