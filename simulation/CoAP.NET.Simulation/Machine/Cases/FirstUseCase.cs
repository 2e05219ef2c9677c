namespace CoAP.NET.Simulation.Machine.Cases;

/// <summary>
/// The first endpoint of a process is made when no descriptor is left: it fails, and the next one, made when there are some, is not slower
/// for it.
/// </summary>
internal sealed class FirstUseCase() : MachineCase(
    "descriptors-first",
    "out of file descriptors when the library is first used",
    "the first UDP transport of the process is started without a free descriptor, the next one with")
{
    public override string Shell => "ulimit -n 256; exec \"$@\"";

    public override async Task RunAsync(MachineFindings findings)
    {
        // Loads what is needed, without asking the system what it can.
        await using (MachineServer warm = MachineServer.Make(isPortable: true, "coap://127.0.0.1:0"))
        {
            await warm.StartAsync();
        }

        CoapUdpTransport first = new();
        Stack<int> taken = MachineLibC.TakeDescriptors();
        Exception? error = null;
        CoapServer server = new(MachineServer.Options(new LogCounts()));
        server.Endpoint.AddTransport(first);
        try
        {
            await server.StartAsync();
        }
        // Which one it is, is the question.
        catch (Exception exception)
        {
            error = exception;
        }

        MachineLibC.GiveBack(taken, int.MaxValue);
        findings.Check(error is CoapException, $"the first fails with {error?.GetType().Name ?? "nothing"}");
        await server.DisposeAsync();
        CoapUdpTransport next = new();
        await using CoapServer second = new(MachineServer.Options(new LogCounts()));
        second.Endpoint.AddTransport(next);
        await second.StartAsync();
        findings.Check(next.Engine == CoapSocketEngine.LinuxLoop, $"the next uses the engine {next.Engine}");
    }
}
