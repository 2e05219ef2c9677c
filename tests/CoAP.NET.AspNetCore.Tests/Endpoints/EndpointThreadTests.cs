namespace CoAP.NET.AspNetCore.Tests.Endpoints;

/// <summary>
/// What CoAP clients leave of the threads of the web application. Real clock: the threads of the library are those of the process.
/// </summary>
public sealed class EndpointThreadTests : EndpointTest
{
    // As documented for CoapExecution.Offloaded.
    private const int Most = 256;

    [Fact]
    public async Task Blocking_endpoints_use_a_bounded_number_of_threads_outside_the_thread_pool()
    {
        using ManualResetEventSlim gate = new();
        using SemaphoreSlim began = new(0);
        ConcurrentBag<bool> pooled = [];
        int running = 0;
        int most = 0;
        await StartAsync(application =>
        {
            application.MapGet("/held", () =>
            {
                pooled.Add(Thread.CurrentThread.IsThreadPoolThread);
                InterlockedMax(ref most, Interlocked.Increment(ref running));
                began.Release();
                gate.Wait(Hang);
                Interlocked.Decrement(ref running);
                return "held";
            }).WithCoap();
            application.MapGet("/other", () => "other").WithCoap();
        });

        Task<CoapResponse>[] held =
            [.. Enumerable.Range(0, Most + 3).Select(_ => AskAsync(CoapMethod.Get, "/held", client: CreateClient()))];
        for (int i = 0; i < Most; i++)
        {
            Assert.True(await began.WaitAsync(Hang));
        }

        // While all places of the page are taken, HTTP and the other pages go on.
        Assert.Equal("other", await Http.GetStringAsync(new Uri("/other", UriKind.Relative)).WaitAsync(Hang));
        await GetAsync("/other").Says("other");
        Assert.Equal(Most, Volatile.Read(ref running));

        gate.Set();
        CoapResponse[] answers = await Task.WhenAll(held).WaitAsync(Hang);
        Assert.All(answers, answer => Assert.Contains(answer.Code, new[] { CoapCode.Content, CoapCode.ServiceUnavailable }));
        Assert.InRange(answers.Count(answer => answer.Code == CoapCode.Content), Most, answers.Length);
        Assert.Equal(Most, most);
        Assert.All(pooled, Assert.False, throwIfEmpty: true);
    }

    [Fact]
    public async Task Endpoints_that_await_do_not_delay_other_endpoints()
    {
        TaskCompletionSource<string> late = new(RunContinuationsAsynchronously);
        using SemaphoreSlim began = new(0);
        await StartAsync(application => application.MapGet("/late", async () =>
        {
            began.Release();
            return await late.Task;
        }).WithCoap());

        Task<CoapResponse>[] asked =
            [.. Enumerable.Range(0, Most + 5).Select(_ => AskUntilServedAsync(CreateClient()))];
        for (int i = 0; i < asked.Length; i++)
        {
            Assert.True(await began.WaitAsync(Hang));
        }

        late.SetResult("late");
        Assert.All(await Task.WhenAll(asked).WaitAsync(Hang), answer => Assert.Equal("late", answer.GetText()));
    }

    // On a busy machine, threads may take so long to reach the first await that a request that waits for one is refused.
    private async Task<CoapResponse> AskUntilServedAsync(CoapClient client)
    {
        CoapResponse response;
        do
        {
            response = await AskAsync(CoapMethod.Get, "/late", client: client);
        }
        while (response.Code == CoapCode.ServiceUnavailable);

        return response;
    }

    private static void InterlockedMax(ref int most, int value)
    {
        int seen = Volatile.Read(ref most);
        while (value > seen && Interlocked.CompareExchange(ref most, value, seen) is var now && now != seen)
        {
            seen = now;
        }
    }
}
