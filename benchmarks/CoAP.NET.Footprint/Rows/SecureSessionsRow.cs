namespace CoAP.NET.Footprint.Rows;

/// <summary>Memory and threads for DTLS sessions that wait.</summary>
internal sealed class SecureSessionsRow : IRow
{
    private const double Goal = 1024;

    // After this, last flights of handshakes (4 minutes) and exchanges (247 s) are forgotten.
    private const int LongEnough = 300;

    public string Name => "coaps";

    public string About => "memory and threads of a server for DTLS sessions that are idle";

    public int Seconds(Sizes sizes) => 25;

    public Task RunAsync(FigureTable table, Sizes sizes)
    {
        table.Begin(Name);
        if (!OperatingSystem.IsLinux())
        {
            table.AddUnjudged("an idle session", $"-", "<= 1 KiB", "Linux only");
            return Task.CompletedTask;
        }

        int count = sizes.Of(10_000, 200);
        int before = sizes.Of(2_000, 50);
        using HostProcess server = new(SecureHost.Verb);
        using SecureDevices devices = new(server.Endpoint!);

        // What is made at the first sessions of all, by the runtime too, is not the sessions'.
        devices.Open(before);
        devices.Ask();
        server.Ask(SecureHost.Advance + LongEnough.ToString());
        SecureFigures start = Now(server);
        devices.Open(count);
        SecureFigures fresh = Now(server);
        server.Ask(SecureHost.Advance + LongEnough.ToString());
        SecureFigures idle = Now(server);
        devices.Ask();
        SecureFigures asked = Now(server);
        server.Ask(SecureHost.Advance + LongEnough.ToString());
        SecureFigures afterwards = Now(server);
        devices.Ask(Math.Max(2, count / 100));

        table.Add($"each of {count:N0} sessions (pre-shared key, Connection ID), after the handshake: managed, private memory",
            $"{Each(fresh.Live, start.Live):0} B, {Each(fresh.Private, start.Private):0} B");
        double managed = Each(idle.Live, start.Live);
        table.Add("the same 5 minutes later: managed", $"{managed:0} B", "<= 1 KiB", managed <= Goal);
        table.Add("the same 5 minutes later: private memory", $"{Each(idle.Private, start.Private):0} B");
        table.Add("after a request each, its exchange remembered: managed, private memory",
            $"{Each(asked.Live, start.Live):0} B, {Each(asked.Private, start.Private):0} B");
        double later = Each(afterwards.Live, start.Live);
        table.Add("the same 5 minutes later: managed", $"{later:0} B", "<= 1 KiB", later <= Goal);
        table.Add("the same 5 minutes later: private memory", $"{Each(afterwards.Private, start.Private):0} B");

        // Those of the runtime's pool come and go, one at a time.
        table.Add("threads of the server before, and with all of them", $"{start.Threads}, {afterwards.Threads}", "none for sessions",
            afterwards.Threads - start.Threads <= Environment.ProcessorCount);
        table.Check(start.Sessions == before && afterwards.Sessions == before + count,
            $"{start.Sessions} and {afterwards.Sessions} sessions, of {before} and {before + count}");
        table.Check(devices.Errors == 0, $"{devices.Errors} requests were not answered rightly");
        table.CheckFigure(managed is > 0 and < 10 * Goal && later is > 0 and < 10 * Goal && Each(fresh.Live, start.Live) > managed,
            $"{managed} and {later} B for a session cannot be");
        return Task.CompletedTask;

        double Each(long bytes, long at) => (bytes - at) / (double)count;
    }

    private static SecureFigures Now(HostProcess server) => SecureFigures.Parse(server.Ask(SecureHost.Sessions));
}
