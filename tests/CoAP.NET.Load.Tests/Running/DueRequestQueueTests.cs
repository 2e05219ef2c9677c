using CoAP.NET.Load.Running;

namespace CoAP.NET.Load.Tests.Running;

public sealed class DueRequestQueueTests
{
    // What comes at all comes at once.
    private static readonly TimeSpan s_hang = FromSeconds(30);

    [Fact]
    public async Task Requests_wait_for_peers_in_the_order_they_were_due()
    {
        DueRequestQueue queue = new();
        queue.Add(1);
        queue.Add(2);
        Assert.Equal(2, queue.Backlog);
        DueRequestWaiter waiter = new();
        Assert.Equal(1, await queue.TakeAsync(waiter));
        Assert.Equal(2, await queue.TakeAsync(waiter));
        Assert.False(queue.TakeAsync(waiter).AsTask().IsCompleted);
    }

    [Fact]
    public async Task Peers_wait_for_requests_in_the_order_they_became_idle()
    {
        DueRequestQueue queue = new();
        Task<long> first = queue.TakeAsync(new DueRequestWaiter()).AsTask();
        Task<long> second = queue.TakeAsync(new DueRequestWaiter()).AsTask();
        queue.Add(1);
        Assert.Equal((true, false, 0), (first.IsCompleted, second.IsCompleted, queue.Backlog));
        queue.Add(2);
        Assert.Equal((1, 2), (await first.WaitAsync(s_hang), await second.WaitAsync(s_hang)));
    }

    [Fact]
    public async Task Idle_peers_end_and_the_backlog_is_completed_when_the_queue_ends()
    {
        DueRequestQueue queue = new();
        Task<long> idle = queue.TakeAsync(new DueRequestWaiter()).AsTask();
        queue.Add(1);
        queue.Add(2);
        queue.End();
        DueRequestWaiter waiter = new();
        Assert.Equal(1, await idle.WaitAsync(s_hang));
        Assert.Equal((2, DueRequestQueue.Over), (await queue.TakeAsync(waiter), await queue.TakeAsync(waiter)));

        queue = new DueRequestQueue();
        idle = queue.TakeAsync(waiter).AsTask();
        queue.End();
        Assert.Equal(DueRequestQueue.Over, await idle.WaitAsync(s_hang));
    }

    [Fact]
    public async Task A_peer_can_wait_repeatedly()
    {
        DueRequestQueue queue = new();
        long sum = 0;
        async Task LoopAsync()
        {
            DueRequestWaiter waiter = new();
            for (long due = await queue.TakeAsync(waiter); due != DueRequestQueue.Over; due = await queue.TakeAsync(waiter))
            {
                sum += due;
            }
        }

        Task loop = LoopAsync();
        for (int i = 1; i <= 1000; i++)
        {
            queue.Add(i);
        }

        queue.End();
        await loop.WaitAsync(s_hang);
        Assert.Equal(500_500, sum);
    }
}
