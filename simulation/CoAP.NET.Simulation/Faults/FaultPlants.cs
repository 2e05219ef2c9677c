namespace CoAP.NET.Simulation.Faults;

/// <summary>Defects that are planted to see that the campaign finds them.</summary>
internal static class FaultPlants
{
    private const int LostOneOf = 20_000;

    /// <summary>A block that takes an exchange now and then and passes it on to nobody.</summary>
    public static PassingBlock<CoapExchange> LosingBlock()
    {
        int count = 0;
        return new PassingBlock<CoapExchange>(item => Interlocked.Increment(ref count) % LostOneOf == 0 ? null : item);
    }

    /// <summary>A fault that takes the processors from everybody for a while.</summary>
    public static void Drag()
    {
        Parallel.For(0, Environment.ProcessorCount, _ =>
        {
            Watch start = new();
            while (start.Elapsed < TimeSpan.FromMilliseconds(100))
            {
            }
        });
    }

    /// <summary>A thread that never lets go of the lock of a shard; until it is told to.</summary>
    public static Task HoldLockAsync(FaultStorm storm, CancellationToken until)
    {
        TaskCompletionSource held = new(TaskCreationOptions.RunContinuationsAsynchronously);
        CoapShard shard = storm.Server.Endpoint.Pipelines[0].Shard;
        storm.Scheduler.Threads.Queue(
            _ =>
            {
                lock (shard.Gate)
                {
                    held.SetResult();
                    until.WaitHandle.WaitOne(TimeSpan.FromSeconds(20));
                }
            },
            null);
        return held.Task;
    }

    /// <summary>A handler that never comes back keeps a thread.</summary>
    public static void LoseThread(FaultRig rig)
    {
        ManualResetEvent never = new(false);
        rig.Server.MapGet("/never", () =>
        {
            never.WaitOne(TimeSpan.FromSeconds(60));
            return "late";
        }).WithExecution(queued: 1);
        FaultClient client = rig.NewClient("coap");
        _ = client.OutcomeAsync(CoapMethod.Get, "/never");
    }
}
