using CoAP.NET.Composition.Stages;
using CoAP.NET.Diagnostics;
using CoAP.NET.Execution;
using ManualScheduler = CoAP.NET.Tests.Resources.ManualScheduler;
using ResourceStage = CoAP.NET.Tests.Resources.ResourceStage;

namespace CoAP.NET.Tests.Execution;

/// <summary>How the library names its threads to the system.</summary>
public class ThreadIdTests
{
    [Fact]
    public void A_thread_whose_system_id_is_unavailable_still_runs_handlers()
    {
        ManualScheduler scheduler = new();
        HandlerThreadLimiter threads = new(scheduler, maxThreads: 8, maxBusy: 8, currentId: ThrowMissing);
        ResourceStage stage = new(scheduler, threads: threads);
        stage.MapGet("/a", () => "a").WithExecution(queued: 2, capacity: 2);
        Task<CoapResult>[] answers = [.. Enumerable.Range(0, 4).Select(_ => stage.SendAsync(CoapMethod.Get, "/a"))];
        scheduler.RunAll();
        Assert.All(answers, answer => Assert.Equal("a", Encoding.UTF8.GetString(answer.Result.Payload.Span)));
        Assert.Equal(2, stage.Counters[CoapCounter.StageErrors]);
        Assert.All(stage.Logger.Entries, entry => Assert.IsType<EntryPointNotFoundException>(entry.Exception));
        Assert.Equal(2, stage.Logger.Entries.Count);
        Assert.Equal(0, stage.Served.Count);

        static int ThrowMissing() => throw new EntryPointNotFoundException("Unable to find an entry point named 'gettid'.");
    }

    [Fact]
    public void The_system_identifies_each_thread_on_Linux()
    {
        Assert.Equal(OperatingSystem.IsLinux() ? Path.GetFileName(File.ResolveLinkTarget("/proc/thread-self", false)!.FullName) : "0",
            ThreadWaitDetector.CurrentId.ToString(System.Globalization.CultureInfo.InvariantCulture));
    }
}
