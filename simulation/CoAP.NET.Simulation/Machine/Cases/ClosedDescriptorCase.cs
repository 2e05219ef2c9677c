using CoAP.NET.Diagnostics;

namespace CoAP.NET.Simulation.Machine.Cases;

/// <summary>
/// Code that is not ours closes a descriptor that is: the endpoint stops with an error that says so, and turns in no circles.
/// </summary>
internal sealed class ClosedDescriptorCase(ClosedDescriptor which, bool isPortable) : MachineCase(
    $"closed-{which.ToString().ToLowerInvariant()}{(isPortable ? "-portable" : "")}",
    "a descriptor closed under the "
        + $"library: {which switch { ClosedDescriptor.Udp => "UDP socket", ClosedDescriptor.Listener => "listening TCP socket", _ => "epoll" }}{(isPortable ? ", portable engine" : "")}",
    "`close` by its number while the server is idle, then a request; a second server of the process is asked, too")
{
    private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(2);

    private static readonly TimeSpan s_notice = TimeSpan.FromSeconds(8);

    public override async Task RunAsync(MachineFindings findings)
    {
        MachineServer server = MachineServer.Make(isPortable, "coap://127.0.0.1:0", "coap+tcp://127.0.0.1:0");
        MachineServer second = MachineServer.Make(isPortable, "coap://127.0.0.1:0");
        await server.StartAsync();
        await second.StartAsync();
        Task completion = server.Server.Endpoint.Completion;
        using RawPeer udp = RawPeer.Udp(server.EndPointOf("coap"));
        using RawPeer tcp = RawPeer.Tcp();
        using RawPeer other = RawPeer.Udp(second.EndPointOf("coap"));
        tcp.Connect(server.EndPointOf("coap+tcp"));
        findings.Check(udp.Ask("hi", s_limit) && tcp.Ask("hi", s_limit) && other.Ask("hi", s_limit), "served before");
        MachineLibC.Close(Find(server));
        udp.Ask("hi", TimeSpan.FromMilliseconds(200));
        using RawPeer late = RawPeer.Tcp();
        try
        {
            late.Connect(server.EndPointOf("coap+tcp"));
        }
        catch (System.Net.Sockets.SocketException)
        {
            // It may be gone already.
        }

        long closed = TimeProvider.System.GetTimestamp();
        await ProcessorUse.CheckAsync(findings, TimeSpan.FromSeconds(1));
        while (!completion.IsCompleted && TimeProvider.System.GetElapsedTime(closed) < s_notice)
        {
            await Task.Delay(TimeSpan.FromMilliseconds(50), TimeProvider.System);
        }

        findings.RecoveryMs = TimeProvider.System.GetElapsedTime(closed).TotalMilliseconds;
        bool isOver = completion.IsCompleted;
        string said = completion.Exception?.InnerException is { } error ? $"{error.GetType().Name}: {error.Message}" : "nothing";
        findings.Check(isOver && completion.Exception?.InnerException is CoapException, $"it stops with {said}");
        findings.Check(other.Ask("hi", s_limit), "the other server is not disturbed");
        findings.Check(server.Log.Warnings <= 3, $"no flood of log ({server.Log.Warnings} entries)");
        findings.Count(server.Counters, CoapCounter.StageErrors, CoapCounter.AcceptFailures, CoapCounter.SendErrors);
        findings.Counted.AddRange(server.Log.Told);
        await server.DisposeAsync().AsTask().WaitAsync(s_limit * 3);
        await second.DisposeAsync();
    }

    private int Find(MachineServer server)
    {
        string socket = which == ClosedDescriptor.Listener
            ? Inode("/proc/net/tcp", server.EndPointOf("coap+tcp").Port, "0A")
            : Inode("/proc/net/udp", server.EndPointOf("coap").Port, "07");
        int descriptor = Descriptors().First(one => one.Target == $"socket:[{socket}]").Number;
        return which != ClosedDescriptor.Epoll ? descriptor
            : Descriptors().First(one => one.Target.Contains("eventpoll")
                && File.ReadAllLines($"/proc/self/fdinfo/{one.Number}").Any(line => Watches(line, descriptor))).Number;
    }

    private static bool Watches(string line, int descriptor) =>
        line.StartsWith("tfd:", StringComparison.Ordinal)
            && line[4..].Split(' ', StringSplitOptions.RemoveEmptyEntries)[0] == $"{descriptor}";

    private static IEnumerable<(int Number, string Target)> Descriptors() =>
        Directory.GetFileSystemEntries("/proc/self/fd")
            .Select(path =>
                (int.Parse(Path.GetFileName(path)),
                    File.ResolveLinkTarget(path, false) is { } target ? Path.GetFileName(target.FullName) : ""));

    private static string Inode(string table, int port, string state)
    {
        string local = $"0100007F:{port:X4}";
        return File.ReadLines(table).Select(line => line.Split(' ', StringSplitOptions.RemoveEmptyEntries))
            .First(parts => parts[1] == local && parts[3] == state)[9];
    }
}
