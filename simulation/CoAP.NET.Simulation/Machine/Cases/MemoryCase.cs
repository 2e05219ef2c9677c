using System.Runtime.CompilerServices;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Simulation.Machine.Cases;

/// <summary>A handler wants more memory than there is: its request is answered 5.00, and nobody else is concerned.</summary>
internal sealed class MemoryCase() : MachineCase(
    "memory",
    "out of memory in a handler",
    $"the heap is bounded to 96 MiB; {Requests} requests go to a handler that asks for 512 MiB, beside others")
{
    private const int Requests = 10;
    private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(3);

    public override IReadOnlyDictionary<string, string?> Variables =>
        new Dictionary<string, string?> { ["DOTNET_GCHeapHardLimit"] = "0x6000000" };

    public override async Task RunAsync(MachineFindings findings)
    {
        await using MachineServer server = MachineServer.Make(false, "coap://127.0.0.1:0", "coap+tcp://127.0.0.1:0");
        server.Server.MapGet("/greedy", () => $"{Take().Length}");
        await server.StartAsync();
        await using CoapClient client = new(MachineServer.Options(new LogCounts()));
        int failed = 0;
        int served = 0;
        foreach (CoapUri uri in Enumerable.Repeat(server.Server.LocalEndpoints, Requests / 2).SelectMany(one => one))
        {
            failed += (await client.GetAsync(uri.Resolve("/greedy")).WaitAsync(s_limit)).Code == CoapCode.InternalServerError ? 1 : 0;
            served += (await client.GetAsync(uri.Resolve("/hi")).WaitAsync(s_limit)).GetText() == "hi" ? 1 : 0;
        }

        findings.Check(failed == Requests, $"{failed} of {Requests} are answered 5.00");
        findings.Check(served == Requests, $"{served} of {Requests} others are served");
        findings.Check(server.Counters[CoapCounter.HandlerErrors] == Requests, "each is counted");
        findings.Count(server.Counters, CoapCounter.HandlerErrors, CoapCounter.StageErrors);
        findings.Counted.AddRange(server.Log.Told);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static byte[] Take() => new byte[512 << 20];
}
