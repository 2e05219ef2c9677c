namespace CoAP.NET.Footprint.Rows;

/// <summary>Memory for DTLS handshakes that strangers with a cookie leave open.</summary>
internal sealed class HalfOpenRow : IRow
{
    private const double Goal = 4_096;

    // More than the server may get of one without a limit: what is beyond the limit shows that there is one.
    private const int Behind = 16;

    public string Name => "half-open";

    public string About => "memory of a server for DTLS handshakes that strangers leave open";

    public int Seconds(Sizes sizes) => 10;

    public Task RunAsync(FigureTable table, Sizes sizes)
    {
        table.Begin(Name);

        // A quarter of the 1,000 places is for sources with sessions.
        int count = sizes.Of(700, 50);
        Measure(table, count, isSlow: false, behind: 0, $"each of {count:N0} handshakes after both hellos: managed");
        Measure(table, count, isSlow: true, behind: 0, "the same, waiting for a key store that does not answer: managed");
        Measure(table, count, isSlow: true, Behind, $"the same, with {Behind} datagrams of 1,000 B behind: managed");
        return Task.CompletedTask;
    }

    private static void Measure(FigureTable table, int count, bool isSlow, int behind, string figure)
    {
        using HostProcess server = new(isSlow ? [SecureHost.Verb, SecureHost.SlowStore] : [SecureHost.Verb]);
        using SecureDevices strangers = new(server.Endpoint!);

        // What is made at the first handshakes of all is not theirs.
        strangers.LeaveOpen(20, isSlow, behind);
        SecureFigures start = SecureFigures.Parse(server.Ask(SecureHost.Sessions));
        strangers.LeaveOpen(count, isSlow, behind);
        SecureFigures open = SecureFigures.Parse(server.Ask(SecureHost.Sessions));
        double each = (open.Live - start.Live) / (double)count;
        if (behind == 0)
        {
            table.Add(figure, $"{each:0} B", "<= 4 KiB", each <= Goal);
        }
        else
        {
            table.Add(figure, $"{each:0} B");
        }

        table.Check(open.Sessions == 0, $"{open.Sessions} sessions without a key");
        table.CheckFigure(each is > 0 and < 10 * Goal, $"{each} B for a handshake cannot be");
    }
}
