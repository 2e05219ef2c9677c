namespace CoAP.NET.Simulation.Machine.Cases;

/// <summary>A port is taken: the start fails with a sentence, leaves nothing open when it is given up, and can be tried again.</summary>
internal sealed class PortInUseCase() : MachineCase(
    "port-in-use",
    "port in use",
    "a server listens on a free and on a taken port, UDP and TCP, of a stranger and of an endpoint of the process; it is started again "
        + "when the port is free")
{
    public override async Task RunAsync(MachineFindings findings)
    {
        // What is opened once in a process is opened before it is counted.
        await TryAsync(new MachineFindings(), "coap+tcp", isPortable: true, isAlone: false);
        await TryAsync(new MachineFindings(), "coap", isPortable: false, isAlone: false);
        await TryAllAsync(findings, isAlone: true);
    }

    /// <summary>Tries each scheme with each engine.</summary>
    /// <param name="findings">What is found.</param>
    /// <param name="isAlone">Whether nothing else runs in the process, so that its descriptors can be counted.</param>
    public static async Task TryAllAsync(MachineFindings findings, bool isAlone)
    {
        foreach (string scheme in (string[])["coap", "coap+tcp"])
        {
            foreach (bool isPortable in (bool[])[false, true])
            {
                await TryAsync(findings, scheme, isPortable, isAlone);
            }
        }
    }

    private static async Task TryAsync(MachineFindings findings, string scheme, bool isPortable, bool isAlone)
    {
        string what = $"{scheme}{(isPortable ? ", portable" : "")}";
        Socket stranger = scheme == "coap"
            ? new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp)
            : new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        stranger.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        if (scheme != "coap")
        {
            stranger.Listen();
        }

        int port = ((IPEndPoint)stranger.LocalEndPoint!).Port;
        int before = Descriptors();
        MachineServer server = MachineServer.Make(isPortable, $"{(scheme == "coap" ? "coap+tcp" : "coap")}://127.0.0.1:0",
            $"{scheme}://127.0.0.1:{port}");
        CoapBindException? error = null;
        try
        {
            await server.StartAsync();
        }
        catch (CoapBindException exception)
        {
            error = exception;
        }

        findings.Check(
            error is { SocketError: SocketError.AddressAlreadyInUse }
                && error.Message.Contains($"127.0.0.1:{port}")
                && error.Message.Contains("port 0"),
            $"{what}: {nameof(CoapBindException)} names address, port and what to do");
        stranger.Dispose();
        await server.StartAsync();
        await using (CoapClient client = new(MachineServer.Options(new LogCounts(), isPortable)))
        {
            findings.Check((await client.GetAsync($"{scheme}://127.0.0.1:{port}/hi")).GetText() == "hi",
                $"{what}: started again, it serves");
            MachineServer second = MachineServer.Make(isPortable, $"{scheme}://127.0.0.1:{port}");
            error = null;
            try
            {
                await second.StartAsync();
            }
            catch (CoapBindException exception)
            {
                error = exception;
            }

            await second.DisposeAsync();
            findings.Check(error is { SocketError: SocketError.AddressAlreadyInUse },
                $"{what}: an endpoint of the same process is refused, too");
        }

        await server.DisposeAsync();
        if (!isAlone)
        {
            return;
        }

        Watch from = new();
        while (Descriptors() > before && from.Elapsed < TimeSpan.FromSeconds(5))
        {
            await Task.Delay(TimeSpan.FromMilliseconds(50), TimeProvider.System);
        }

        // Those of the loop that clients share end some seconds later.
        findings.Check(Descriptors() <= before + 4, $"{what}: all sockets are closed at the end");
    }

    private static int Descriptors() => Directory.GetFileSystemEntries("/proc/self/fd").Length;
}
