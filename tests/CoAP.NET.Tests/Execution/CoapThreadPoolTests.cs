using System.Collections.Concurrent;
using CoAP.NET.Execution;
using CoAP.NET.Tests.Mesh;

namespace CoAP.NET.Tests.Execution;

/// <summary>The library's own threads, by count.</summary>
public class CoapThreadPoolTests
{
    private static readonly TimeSpan s_hangGuard = FromMinutes(2);

    [Fact]
    public void Queued_work_runs_at_once_while_other_work_blocks()
    {
        CoapThreadPool threads = new();
        using ManualResetEventSlim release = new();
        using CountdownEvent running = new(20);
        using CountdownEvent ended = new(20);
        for (int i = 0; i < 20; i++)
        {
            Assert.True(threads.Queue(_ => Block(running, release, ended), null));
        }

        Assert.True(running.Wait(s_hangGuard));
        Assert.Equal(20, threads.ThreadCount);
        release.Set();
        Assert.True(ended.Wait(s_hangGuard));
    }

    [Fact]
    public void Work_beyond_maxThreads_is_refused_and_does_not_run_later()
    {
        CoapThreadPool threads = new(maxThreads: 2);
        using ManualResetEventSlim release = new();
        using CountdownEvent running = new(2);
        using CountdownEvent ended = new(2);
        Assert.True(threads.Queue(_ => Block(running, release, ended), null));
        Assert.True(threads.Queue(_ => Block(running, release, ended), null));
        Assert.True(running.Wait(s_hangGuard));
        Assert.False(threads.Queue(_ => Assert.Fail("refused work ran"), null));

        release.Set();
        Assert.True(ended.Wait(s_hangGuard));
        Assert.True(SpinWait.SpinUntil(() => threads.IdleCount == 2, s_hangGuard));
        using ManualResetEventSlim again = new();
        Assert.True(threads.Queue(_ => again.Set(), null));
        Assert.True(again.Wait(s_hangGuard));
        Assert.Equal(2, threads.ThreadCount);
        Assert.Equal(0, threads.Failures);
    }

    [Fact]
    public void An_idle_thread_is_used_again()
    {
        CoapThreadPool threads = new();
        HashSet<int> ids = [];
        for (int i = 0; i < 50; i++)
        {
            using ManualResetEventSlim done = new();
            Assert.True(threads.Queue(
                _ =>
                {
                    ids.Add(Environment.CurrentManagedThreadId);
                    done.Set();
                },
                null));
            Assert.True(done.Wait(s_hangGuard));
            Assert.True(SpinWait.SpinUntil(() => threads.IdleCount == 1, s_hangGuard));
        }

        Assert.Single(ids);
        Assert.Equal(1, threads.ThreadCount);
    }

    [Fact]
    public void Threads_without_work_end_after_idleTime()
    {
        CoapThreadPool threads = new(idleTime: FromMilliseconds(1));
        ConcurrentBag<Thread> used = [];
        using CountdownEvent done = new(10);
        for (int i = 0; i < 10; i++)
        {
            Assert.True(threads.Queue(
                _ =>
                {
                    used.Add(Thread.CurrentThread);
                    done.Signal();
                },
                null));
        }

        Assert.True(done.Wait(s_hangGuard));
        Assert.All(used, thread => Assert.True(thread.Join(s_hangGuard)));
        Assert.Equal(0, threads.ThreadCount);
        Assert.Equal(0, threads.IdleCount);
    }

    [Fact]
    public void Every_item_runs_exactly_once_while_threads_start_and_end()
    {
        // Idle threads end all the time, so that work meets threads that are just about to.
        CoapThreadPool threads = new(maxThreads: 8, idleTime: TimeSpan.Zero);
        const int items = 600;
        int[] runs = new int[items];
        using CountdownEvent done = new(items);
        int next = 0;
        MeshRig.OnThreads(3, _ =>
        {
            while (true)
            {
                int item = Interlocked.Increment(ref next) - 1;
                if (item >= items)
                {
                    return;
                }

                SpinWait spin = default;
                while (!threads.Queue(
                    state =>
                    {
                        Interlocked.Increment(ref runs[(int)state!]);
                        done.Signal();
                    },
                    item))
                {
                    spin.SpinOnce();
                }
            }
        });

        Assert.True(done.Wait(s_hangGuard));
        Assert.All(runs, count => Assert.Equal(1, count));
        Assert.True(SpinWait.SpinUntil(() => threads.ThreadCount == 0, s_hangGuard));
        Assert.Equal(0, threads.IdleCount);
    }

    [Fact]
    public void An_exception_of_work_is_counted_and_the_thread_continues()
    {
        CoapThreadPool threads = new(maxThreads: 1);
        Assert.True(threads.Queue(_ => throw new InvalidOperationException("work"), null));
        Assert.True(SpinWait.SpinUntil(() => threads.IdleCount == 1, s_hangGuard));
        Assert.Equal(1, threads.Failures);
        using ManualResetEventSlim done = new();
        Assert.True(threads.Queue(_ => done.Set(), null));
        Assert.True(done.Wait(s_hangGuard));
    }

    [Fact]
    public void No_execution_context_flows_into_work_or_between_items()
    {
        CoapThreadPool threads = new(maxThreads: 1);
        AsyncLocal<string?> local = new() { Value = "caller" };
        List<string?> seen = [];
        for (int i = 0; i < 3; i++)
        {
            using ManualResetEventSlim done = new();
            int item = i;
            Assert.True(threads.Queue(
                _ =>
                {
                    seen.Add(local.Value);
                    seen.Add(SynchronizationContext.Current?.ToString());
                    local.Value = "work";
                    SynchronizationContext.SetSynchronizationContext(new SynchronizationContext());
                    done.Set();
                    if (item == 1)
                    {
                        ExecutionContext.SuppressFlow();
                        throw new InvalidOperationException("work");
                    }
                },
                null));
            Assert.True(done.Wait(s_hangGuard));
            Assert.True(SpinWait.SpinUntil(() => threads.IdleCount == 1, s_hangGuard));
        }

        Assert.Equal(6, seen.Count);
        Assert.All(seen, Assert.Null);
    }

    [Fact]
    public void Threads_are_background_threads()
    {
        CoapThreadPool threads = new();
        using ManualResetEventSlim done = new();
        bool background = false;
        Assert.True(threads.Queue(
            _ =>
            {
                background = Thread.CurrentThread.IsBackground;
                done.Set();
            },
            null));
        Assert.True(done.Wait(s_hangGuard));
        Assert.True(background);
    }

    private static void Block(CountdownEvent running, ManualResetEventSlim release, CountdownEvent ended)
    {
        running.Signal();
        release.Wait(s_hangGuard);
        ended.Signal();
    }
}
