using System.Collections.Concurrent;
using CoAP.NET.Composition.Stages;
using CoAP.NET.Diagnostics;
using CoAP.NET.Execution;

namespace CoAP.NET.Tests.Resources;

public class ExecutionTests
{
    private static readonly TimeSpan s_hang = FromMinutes(2);
    private readonly ResourceStage _stage = new();

    [Fact]
    public void A_queued_execution_limits_running_and_waiting_requests_and_refuses_the_rest()
    {
        int running = 0;
        int most = 0;
        _stage.MapGet("/a", () =>
        {
            most = Math.Max(most, ++running);
            running--;
            return "a";
        }).WithExecution(queued: 2, capacity: 2);
        Task<CoapResult>[] answers = [.. Enumerable.Range(0, 4).Select(_ => _stage.SendAsync(CoapMethod.Get, "/a"))];
        _stage.Get("/a").Gives(CoapCode.ServiceUnavailable);
        Assert.Equal(1, _stage.Counters[CoapCounter.RequestsNotQueued]);
        Assert.Equal(2, _stage.Scheduler.Count);
        Assert.All(answers, answer => Assert.False(answer.IsCompleted));
        _stage.Scheduler.RunOne();
        Assert.Equal(3, answers.Count(answer => answer.IsCompleted));
        _stage.Scheduler.RunAll();
        Assert.All(answers, answer => Assert.True(answer.IsCompletedSuccessfully));
        Assert.Equal(1, most);
        Assert.Equal(0, _stage.Served.Count);
    }

    [Fact]
    public async Task A_queued_execution_counts_a_request_until_its_answer_is_complete()
    {
        ConcurrentQueue<TaskCompletionSource<CoapResult>> sources = new();
        _stage.MapGet("/a", () =>
        {
            TaskCompletionSource<CoapResult> source = new();
            sources.Enqueue(source);
            return source.Task;
        }).WithExecution(queued: 1, capacity: 1);
        Task<CoapResult> first = _stage.SendAsync(CoapMethod.Get, "/a");
        Task<CoapResult> second = _stage.SendAsync(CoapMethod.Get, "/a");
        _stage.Scheduler.RunAll();
        Assert.Single(sources);
        _stage.Get("/a").Gives(CoapCode.ServiceUnavailable);
        sources.TryDequeue(out TaskCompletionSource<CoapResult>? source);
        source!.SetResult("1");
        await first.WaitAsync(s_hang);
        await _stage.Scheduler.WhenQueuedAsync().WaitAsync(s_hang);
        _stage.Scheduler.RunAll();
        sources.TryDequeue(out source);
        source!.SetResult("2");
        await second.WaitAsync(s_hang);
    }

    [Fact]
    public async Task An_offloaded_execution_limits_running_and_waiting_requests_and_refuses_the_rest()
    {
        _stage.MapGet("/a", () => "a").WithExecution(CoapExecution.Offloaded(degreeOfParallelism: 2, capacity: 2));
        Task<CoapResult>[] answers = [.. Enumerable.Range(0, 4).Select(_ => _stage.SendAsync(CoapMethod.Get, "/a"))];
        CoapResult refused = _stage.Get("/a");
        Assert.Equal(CoapCode.ServiceUnavailable, refused.Code);
        Assert.True(refused.Options.Contains(OptionNumber.MaxAge));
        Assert.Equal(1, _stage.Counters[CoapCounter.RequestsNotQueued]);
        Assert.Equal(2, _stage.Scheduler.Count);
        Assert.All(answers, static answer => Assert.False(answer.IsCompleted));
        _stage.Scheduler.RunAll();
        foreach (Task<CoapResult> answer in answers)
        {
            Assert.True(answer.IsCompleted);
            Assert.Equal(CoapCode.Content, (await answer).Code);
        }

        Assert.Equal(0, _stage.Served.Count);
    }

    [Fact]
    public void An_offloaded_execution_counts_a_request_until_its_handler_returns_its_task()
    {
        TaskCompletionSource<CoapResult> never = new();
        int calls = 0;
        _stage.MapGet("/a", () =>
        {
            calls++;
            return never.Task;
        }).WithExecution(CoapExecution.Offloaded(degreeOfParallelism: 1, capacity: 0));
        for (int i = 1; i <= 20; i++)
        {
            Task<CoapResult> answer = _stage.SendAsync(CoapMethod.Get, "/a");
            _stage.Scheduler.RunAll();
            Assert.False(answer.IsCompleted);
            Assert.Equal(i, calls);
        }
    }

    [Fact]
    public async Task An_offloaded_execution_refuses_requests_that_would_wait_too_long()
    {
        _stage.MapGet("/a", () => "a").WithExecution(CoapExecution.Offloaded(degreeOfParallelism: 2));

        // None of the threads comes as far as its end.
        List<Task<CoapResult>> answers = [];
        for (int i = 0; i < 40; i++)
        {
            answers.Add(_stage.SendAsync(CoapMethod.Get, "/a"));
            _stage.Time.Advance(FromMilliseconds(100));
        }

        Assert.False(answers[2].IsCompleted);
        Assert.True(answers[^1].IsCompleted);
        Assert.Equal(CoapCode.ServiceUnavailable, (await answers[^1]).Code);
        _stage.Scheduler.RunAll();
        Assert.All(answers, static answer => Assert.True(answer.IsCompleted));
    }

    [Theory]
    [InlineData(2000, false)]
    [InlineData(2001, true)]
    public async Task Further_requests_are_refused_once_the_first_one_has_waited_for_2_s_and_those_that_wait_are_served(
        int milliseconds, bool isRefused)
    {
        _stage.MapGet("/a", () => "a").WithExecution(CoapExecution.Offloaded(degreeOfParallelism: 1));
        Task<CoapResult>[] answers = [.. Enumerable.Range(0, 5).Select(_ => _stage.SendAsync(CoapMethod.Get, "/a"))];
        _stage.Time.Advance(FromMilliseconds(milliseconds));
        Task<CoapResult> late = _stage.SendAsync(CoapMethod.Get, "/a");
        Assert.Equal(isRefused, late.IsCompleted);
        _stage.Scheduler.RunAll();

        Assert.All(await Task.WhenAll(answers), static result => Assert.Equal(CoapCode.Content, result.Code));
        Assert.Equal(isRefused ? CoapCode.ServiceUnavailable : CoapCode.Content, (await late).Code);
        Assert.Equal(isRefused ? 1 : 0, _stage.Counters[CoapCounter.RequestsNotQueued]);
        _stage.Time.Advance(FromSeconds(10));
        Task<CoapResult> next = _stage.SendAsync(CoapMethod.Get, "/a");
        _stage.Scheduler.RunAll();
        Assert.Equal(CoapCode.Content, (await next).Code);
    }

    [Fact]
    public void Executions_refuse_numbers_that_are_too_small()
    {
        CoapRouteHandlerBuilder route = _stage.MapGet("/a", () => "a");
        Assert.Throws<ArgumentOutOfRangeException>("degreeOfParallelism", () => CoapExecution.Offloaded(0));
        Assert.Throws<ArgumentOutOfRangeException>("degreeOfParallelism", () => CoapExecution.Queued(0));
        Assert.Throws<ArgumentOutOfRangeException>("capacity", () => CoapExecution.Offloaded(1, -1));
        Assert.Throws<ArgumentOutOfRangeException>("capacity", () => CoapExecution.Serial(-1));
        Assert.Throws<ArgumentOutOfRangeException>("queued", () => route.WithExecution(queued: 0));
        Assert.Throws<ArgumentNullException>("execution", () => route.WithExecution(null!));
        Assert.Throws<ArgumentNullException>("scheduler", () => CoapExecution.On(null!));
    }

    [Fact]
    public void Two_routes_with_the_same_execution_have_separate_queues()
    {
        CoapExecution queued = CoapExecution.Queued(capacity: 0);
        _stage.MapGet("/a", () => "a").WithExecution(queued);
        _stage.MapGet("/b", () => "b").WithExecution(queued);
        Task<CoapResult> a = _stage.SendAsync(CoapMethod.Get, "/a");
        Task<CoapResult> b = _stage.SendAsync(CoapMethod.Get, "/b");
        _stage.Get("/a").Gives(CoapCode.ServiceUnavailable);
        _stage.Scheduler.RunAll();
        Assert.True(a.IsCompletedSuccessfully && b.IsCompletedSuccessfully);
    }

    [Fact]
    public void The_text_of_an_execution_has_its_kind_and_numbers()
    {
        Assert.Equal("Inline", CoapExecution.Inline.ToString());
        Assert.Equal("Queued(2, 1000)", CoapExecution.Queued(2).ToString());
        Assert.Equal("Offloaded(3, 4)", CoapExecution.Offloaded(3, 4).ToString());
        Assert.Equal("Serial(5)", CoapExecution.Serial(5).ToString());
        CoapExecution.On(TaskScheduler.Default).ToString().Begins("On(");
    }

    [Fact]
    public void A_request_gets_5_03_when_the_scheduler_has_no_thread()
    {
        _stage.MapGet("/a", () => "a").WithExecution(queued: 2);
        _stage.Scheduler.Refuses = true;

        _stage.Get("/a").Gives(CoapCode.ServiceUnavailable);
    }

    [Fact]
    public void A_request_waits_when_the_scheduler_has_no_further_thread_for_its_route()
    {
        int calls = 0;
        _stage.MapGet("/a", () =>
        {
            calls++;
            return "a";
        }).WithExecution(queued: 2);
        Task<CoapResult> first = _stage.SendAsync(CoapMethod.Get, "/a");
        _stage.Scheduler.Refuses = true;
        Task<CoapResult> second = _stage.SendAsync(CoapMethod.Get, "/a");
        Assert.False(second.IsCompleted);
        _stage.Scheduler.RunAll();
        Assert.True(first.IsCompleted && second.IsCompleted);
        Assert.Equal(2, calls);
        Assert.Equal(0, _stage.Served.Count);
    }

    [Fact]
    public async Task A_serial_execution_runs_a_request_until_its_answer_is_complete()
    {
        ConcurrentQueue<TaskCompletionSource<CoapResult>> sources = new();
        _stage.MapGet("/a", () =>
        {
            TaskCompletionSource<CoapResult> source = new();
            sources.Enqueue(source);
            return source.Task;
        }).WithExecution(CoapExecution.Serial(capacity: 2));
        Task<CoapResult>[] answers = [.. Enumerable.Range(0, 3).Select(_ => _stage.SendAsync(CoapMethod.Get, "/a"))];
        _stage.Get("/a").Gives(CoapCode.ServiceUnavailable);
        foreach (Task<CoapResult> answer in answers)
        {
            _stage.Scheduler.RunAll();
            Assert.Single(sources);
            sources.TryDequeue(out TaskCompletionSource<CoapResult>? source);
            source!.SetResult("x");
            await answer.WaitAsync(s_hang);
            if (answer != answers[^1])
            {
                await _stage.Scheduler.WhenQueuedAsync().WaitAsync(s_hang);
            }
        }

        await _stage.Served.WhenIdleAsync().WaitAsync(s_hang);
    }

    [Fact]
    public async Task A_serial_group_has_a_single_queue_for_its_routes_and_inner_groups()
    {
        ConcurrentQueue<TaskCompletionSource<CoapResult>> running = new();
        Task<CoapResult> Run()
        {
            TaskCompletionSource<CoapResult> source = new();
            running.Enqueue(source);
            return source.Task;
        }

        CoapRouteGroup group = _stage.MapGroup("/g").WithExecution(CoapExecution.Serial());
        group.MapGet("/a", () => Run());
        group.MapPut("/a", () => Run());
        group.MapGroup("/inner").MapGet("/b", () => Run());
        Task<CoapResult>[] answers =
        [
            _stage.SendAsync(CoapMethod.Get, "/g/a"), _stage.SendAsync(CoapMethod.Put, "/g/a"),
            _stage.SendAsync(CoapMethod.Get, "/g/inner/b"),
        ];
        foreach (Task<CoapResult> answer in answers)
        {
            _stage.Scheduler.RunAll();
            Assert.True(running.TryDequeue(out TaskCompletionSource<CoapResult>? source));
            Assert.Empty(running);
            source.SetResult(CoapResults.Changed());
            await answer.WaitAsync(s_hang);
            if (answer != answers[^1])
            {
                await _stage.Scheduler.WhenQueuedAsync().WaitAsync(s_hang);
            }
        }

        await _stage.Served.WhenIdleAsync().WaitAsync(s_hang);
    }

    [Fact]
    public void A_route_or_inner_group_with_its_own_execution_leaves_the_queue_of_a_serial_group()
    {
        TaskCompletionSource<CoapResult> never = new();
        int runs = 0;
        Task<CoapResult> Run()
        {
            runs++;
            return never.Task;
        }

        CoapRouteGroup group = _stage.MapGroup("/g").WithExecution(CoapExecution.Serial());
        group.MapGet("/shared", () => Run());
        group.MapGet("/own", () => Run()).WithExecution(CoapExecution.Serial());
        group.MapGet("/inline", () => Run()).WithExecution(CoapExecution.Inline);
        group.MapGroup("/inner").WithExecution(CoapExecution.Serial()).MapGet("/a", () => Run());
        foreach (string path in (string[])["/g/shared", "/g/own", "/g/inline", "/g/inner/a"])
        {
            _ = _stage.SendAsync(CoapMethod.Get, path);
        }

        Assert.Equal(4, runs);
        _ = _stage.SendAsync(CoapMethod.Get, "/g/own");
        Assert.Equal(4, runs);
    }

    [Fact]
    public async Task A_queued_group_counts_the_requests_of_its_routes_and_inner_groups_together()
    {
        ConcurrentQueue<TaskCompletionSource<CoapResult>> running = new();
        Task<CoapResult> Run()
        {
            TaskCompletionSource<CoapResult> source = new();
            running.Enqueue(source);
            return source.Task;
        }

        CoapRouteGroup group = _stage.MapGroup("/g").WithExecution(queued: 2, capacity: 1);
        group.MapGet("/a", () => Run());
        group.MapPut("/a", () => Run());
        group.MapGroup("/inner").MapGroup("/most").MapGet("/b", () => Run());
        group.MapGet("/own", () => Run()).WithExecution(queued: 1);
        Task<CoapResult> get = _stage.SendAsync(CoapMethod.Get, "/g/a");
        Task<CoapResult> put = _stage.SendAsync(CoapMethod.Put, "/g/a");
        Task<CoapResult> inner = _stage.SendAsync(CoapMethod.Get, "/g/inner/most/b");
        _stage.Scheduler.RunAll();
        Assert.Equal(2, running.Count);
        _stage.Send(CoapMethod.Put, "/g/a").Gives(CoapCode.ServiceUnavailable);
        Assert.Equal(1, _stage.Counters[CoapCounter.RequestsNotQueued]);

        Task<CoapResult> own = _stage.SendAsync(CoapMethod.Get, "/g/own");
        _stage.Scheduler.RunAll();
        Assert.Equal(3, running.Count);

        running.TryDequeue(out TaskCompletionSource<CoapResult>? first);
        first!.SetResult("first");
        await get.WaitAsync(s_hang);
        await _stage.Scheduler.WhenQueuedAsync().WaitAsync(s_hang);
        _stage.Scheduler.RunAll();
        Assert.Equal(3, running.Count);
        foreach (TaskCompletionSource<CoapResult> source in running)
        {
            source.SetResult("rest");
        }

        await Task.WhenAll(put, inner, own).WaitAsync(s_hang);
        await _stage.Served.WhenIdleAsync().WaitAsync(s_hang);
    }

    [Fact]
    public void An_offloaded_group_has_a_queue_for_each_route()
    {
        CoapRouteGroup group = _stage.MapGroup("/g").WithExecution(CoapExecution.Offloaded(degreeOfParallelism: 1));
        group.MapGet("/a", () => "a");
        group.MapGet("/b", () => "b");
        foreach (string path in (string[])["/g/a", "/g/a", "/g/b"])
        {
            _ = _stage.SendAsync(CoapMethod.Get, path);
        }

        Assert.Equal(2, _stage.Scheduler.Count);
        _stage.Scheduler.RunAll();
    }

    [Fact]
    public void A_serial_handler_that_completes_synchronously_is_answered_on_the_receiving_thread()
    {
        _stage.MapGet("/a", () => "a").WithExecution(CoapExecution.Serial());
        _stage.Get("/a").Gives(CoapCode.Content);
        _stage.Get("/a").Gives(CoapCode.Content);
        Assert.Equal(0, _stage.Scheduler.Count);
    }

    [Fact]
    public void Waiting_requests_do_not_run_after_the_endpoint_aborts()
    {
        int calls = 0;
        _stage.MapGet("/a", () =>
        {
            calls++;
            return "a";
        }).WithExecution(queued: 1);
        Task<CoapResult> answer = _stage.SendAsync(CoapMethod.Get, "/a");
        _stage.Served.Abort();
        _stage.Scheduler.RunAll();
        Assert.True(answer.IsCompleted);
        Assert.Equal(0, calls);
        Assert.Equal(0, _stage.Served.Count);
    }

    [Fact]
    public async Task A_task_scheduler_of_the_user_runs_handlers_and_its_refusal_gives_5_00()
    {
        using CollectingScheduler scheduler = new();
        TaskScheduler? seen = null;
        _stage.MapGet("/a", () =>
        {
            seen = TaskScheduler.Current;
            return "a";
        }).WithExecution(CoapExecution.On(scheduler));
        Task<CoapResult> answer = _stage.SendAsync(CoapMethod.Get, "/a");
        Assert.False(answer.IsCompleted);
        scheduler.RunAll();
        Assert.Equal(CoapCode.Content, (await answer.WaitAsync(s_hang)).Code);
        Assert.Same(scheduler, seen);
        scheduler.Refuses = true;
        _stage.Get("/a").Gives(CoapCode.InternalServerError);
        Assert.Equal(0, _stage.Served.Count);
    }

    [Fact]
    public void Execution_is_inherited_from_the_nearest_group_and_may_change()
    {
        _stage.Routes.WithExecution(queued: 2);
        CoapRouteGroup group = _stage.MapGroup("/g");
        _stage.MapGet("/a", () => "a");
        CoapRouteHandlerBuilder inner = group.MapGet("/b", () => "b");
        _ = _stage.SendAsync(CoapMethod.Get, "/a");
        _ = _stage.SendAsync(CoapMethod.Get, "/g/b");
        Assert.Equal(2, _stage.Scheduler.Count);
        group.WithExecution(CoapExecution.Inline);
        _stage.Get("/g/b").Gives(CoapCode.Content);
        inner.WithExecution(queued: 1);
        _ = _stage.SendAsync(CoapMethod.Get, "/g/b");
        Assert.Equal(3, _stage.Scheduler.Count);
        _stage.Scheduler.RunAll();
    }

    [Fact]
    public void A_handler_that_blocks_three_times_in_a_minute_leaves_the_receiving_thread_for_a_minute()
    {
        bool blocks = true;
        _stage.MapGet("/slow", () =>
        {
            _stage.Time.Advance(FromSeconds(blocks ? 1 : 0));
            return "slow";
        });
        _stage.MapGet("/fast", () => "fast");
        for (int i = 0; i < 6; i++)
        {
            // The first three are not counted.
            _stage.Get("/slow").Gives(CoapCode.Content);
        }

        Assert.Single(_stage.Logger.Entries, entry => entry.Id == 1502 && entry.Text.Contains("/slow", Ordinal));
        blocks = false;
        Task<CoapResult> answer = _stage.SendAsync(CoapMethod.Get, "/slow");
        Assert.False(answer.IsCompleted);
        _stage.Get("/fast").Gives(CoapCode.Content);
        _stage.Scheduler.RunAll();
        Assert.True(answer.IsCompletedSuccessfully);
        _stage.Time.Advance(FromMinutes(1));
        _stage.Get("/slow").Gives(CoapCode.Content);
    }

    [Fact]
    public async Task Asynchronous_requests_to_a_slow_handler_occupy_no_thread()
    {
        TaskCompletionSource<CoapResult> never = new();
        bool awaits = false;
        _stage.MapGet("/slow", () =>
        {
            _stage.Time.Advance(FromMilliseconds(25));
            return awaits ? never.Task : Task.FromResult(CoapResults.Text("slow"));
        });
        MakeSlow();
        awaits = true;
        Task<CoapResult>[] waiting =
            [.. Enumerable.Range(0, UserCodePolicy.RouteThreads + 100).Select(_ => _stage.SendAsync(CoapMethod.Get, "/slow"))];
        _stage.Scheduler.RunAll();
        Assert.All(waiting, static answer => Assert.False(answer.IsCompleted));

        awaits = false;
        Task<CoapResult> other = _stage.SendAsync(CoapMethod.Get, "/slow");
        _stage.Scheduler.RunAll();
        Assert.True(other.IsCompletedSuccessfully);
        Assert.Equal(CoapCode.Content, (await other).Code);
        Assert.Equal(waiting.Length, _stage.Served.Count);
    }

    [Fact]
    public async Task Further_requests_are_refused_while_all_threads_of_a_slow_handler_are_blocked()
    {
        _stage.MapGet("/slow", () =>
        {
            _stage.Time.Advance(FromMilliseconds(25));
            return "slow";
        });
        MakeSlow();

        // None of these threads comes as far as its end.
        Task<CoapResult>[] blocked =
            [.. Enumerable.Range(0, UserCodePolicy.RouteThreads).Select(_ => _stage.SendAsync(CoapMethod.Get, "/slow"))];
        Assert.Equal(blocked.Length, _stage.Scheduler.Count);
        List<Task<CoapResult>> later = [];
        for (int i = 0; i < 40; i++)
        {
            later.Add(_stage.SendAsync(CoapMethod.Get, "/slow"));
            _stage.Time.Advance(FromMilliseconds(100));
        }

        Assert.False(later[0].IsCompleted);
        Assert.True(later[^1].IsCompleted);
        Assert.Equal(CoapCode.ServiceUnavailable, (await later[^1]).Code);
        _stage.Scheduler.RunAll();
        Assert.All(blocked, static answer => Assert.True(answer.IsCompleted));
        Assert.All(later, static answer => Assert.True(answer.IsCompleted));
    }

    [Fact]
    public void Requests_of_one_source_take_half_of_the_queue_of_a_slow_handler_and_the_rest_is_refused()
    {
        _stage.MapGet("/slow", () =>
        {
            _stage.Time.Advance(FromMilliseconds(25));
            return "slow";
        });
        MakeSlow();

        Task<CoapResult>[] answers =
        [
            .. Enumerable.Range(0, UserCodePolicy.RouteThreads + UserCodePolicy.MaxWaiting)
                .Select(_ => _stage.SendAsync(CoapMethod.Get, "/slow")),
        ];
        Assert.Equal(UserCodePolicy.RouteThreads + (UserCodePolicy.MaxWaiting / 2) + 1,
            answers.Count(static answer => !answer.IsCompleted));
        _stage.Scheduler.RunAll();
        Assert.All(answers, static answer => Assert.True(answer.IsCompleted));
    }

    [Fact]
    public void The_time_the_library_spends_on_a_response_counts_as_handler_time()
    {
        _stage.MapGet("/large", () => "large");
        _stage.Replies.Work = () => _stage.Time.Advance(UserCodePolicy.CostlyFrom);
        UserCodeScope.Role = new CrowdedRole();
        try
        {
            for (int i = 0; i < 2 * UserCodePolicy.CallsOfChance; i++)
            {
                _stage.Get("/large").Gives(CoapCode.Content);
            }

            Assert.False(_stage.SendAsync(CoapMethod.Get, "/large").IsCompleted);
        }
        finally
        {
            UserCodeScope.Role = null;
        }

        _stage.Scheduler.RunAll();
    }

    [Fact]
    public void A_blocking_handler_with_WithBlockingLog_false_is_moved_without_a_log_entry()
    {
        _stage.MapGroup("/package").WithBlockingLog(false).MapGet("/slow", () =>
        {
            _stage.Time.Advance(FromSeconds(1));
            return "slow";
        });
        for (int i = 0; i < 6; i++)
        {
            _stage.Get("/package/slow").Gives(CoapCode.Content);
        }

        Assert.False(_stage.SendAsync(CoapMethod.Get, "/package/slow").IsCompleted);
        _stage.Scheduler.RunAll();
        Assert.DoesNotContain(_stage.Logger.Entries, static entry => entry.Id == 1502);
    }

    [Fact]
    public void A_handler_that_blocks_rarely_stays_on_the_receiving_thread()
    {
        _stage.MapGet("/a", () =>
        {
            _stage.Time.Advance(FromSeconds(31));
            return "a";
        });
        for (int i = 0; i < 20; i++)
        {
            _stage.Get("/a").Gives(CoapCode.Content);
        }

        Assert.Equal(0, _stage.Scheduler.Count);
    }

    [Fact]
    public async Task A_hundred_blocked_handlers_do_not_delay_other_requests()
    {
        ResourceStage stage = new(CoapThreadScheduler.Default);
        using ManualResetEventSlim gate = new();
        using CountdownEvent blocked = new(100);
        stage.MapGet("/blocks", () =>
        {
            blocked.Signal();
            gate.Wait();
            return "at last";
        }).WithExecution(queued: 100);
        stage.MapGet("/a", () => "a");
        Task<CoapResult>[] answers = [.. Enumerable.Range(0, 100).Select(_ => stage.SendAsync(CoapMethod.Get, "/blocks"))];
        Assert.True(blocked.Wait(s_hang));
        stage.Get("/a").Gives(CoapCode.Content);
        gate.Set();
        await Task.WhenAll(answers).WaitAsync(s_hang);
        await stage.Served.WhenIdleAsync().WaitAsync(s_hang);
    }

    [Fact]
    public async Task A_handler_may_block_on_an_asynchronous_task()
    {
        ResourceStage stage = new(CoapThreadScheduler.Default);
        stage.MapGet("/queued", () => LaterAsync().GetAwaiter().GetResult()).WithExecution(queued: 1);
        stage.MapGet("/inline", () => LaterAsync().GetAwaiter().GetResult());
        Assert.Equal(CoapCode.Content, (await stage.SendAsync(CoapMethod.Get, "/queued").WaitAsync(s_hang)).Code);
        TaskCompletionSource<Task<CoapResult>> received = new(RunContinuationsAsynchronously);
        Assert.True(CoapThreadScheduler.Default.Queue(_ => received.SetResult(stage.SendAsync(CoapMethod.Get, "/inline")), null));
        Assert.Equal(CoapCode.Content, (await (await received.Task.WaitAsync(s_hang)).WaitAsync(s_hang)).Code);

        static async Task<CoapResult> LaterAsync()
        {
            await Task.Yield();
            return "later";
        }
    }

    [Fact]
    public async Task Every_request_from_many_threads_gets_one_answer()
    {
        ResourceStage stage = new(CoapThreadScheduler.Default);
        int running = 0;
        bool together = false;
        stage.MapGet("/serial", async () =>
        {
            together |= Interlocked.Increment(ref running) != 1;
            await Task.Yield();
            Interlocked.Decrement(ref running);
            return "serial";
        }).WithExecution(CoapExecution.Serial(capacity: 10_000));
        stage.MapGet("/async", async () =>
        {
            await Task.Yield();
            return "async";
        });
        stage.MapGet("/queued", () => "queued").WithExecution(queued: 3, capacity: 10_000);
        string[] paths = ["/serial", "/async", "/queued"];
        ConcurrentBag<Task<CoapResult>> answers = [];
        using CountdownEvent threads = new(4);
        for (int thread = 0; thread < 4; thread++)
        {
            Assert.True(CoapThreadScheduler.Default.Queue(
                _ =>
                {
                    for (int i = 0; i < 600; i++)
                    {
                        answers.Add(stage.SendAsync(CoapMethod.Get, paths[i % 3]));
                    }

                    threads.Signal();
                },
                null));
        }

        Assert.True(threads.Wait(s_hang));
        CoapResult[] results = await Task.WhenAll(answers).WaitAsync(s_hang);
        Assert.Equal(2400, results.Count(result => result.Code == CoapCode.Content));
        await stage.Served.WhenIdleAsync().WaitAsync(s_hang);
        Assert.False(together);
        Assert.Equal(2400, stage.Replies.Count);
    }

    // The first calls are not judged.
    private void MakeSlow()
    {
        for (int i = 0; i < 2 * UserCodePolicy.CallsOfChance; i++)
        {
            _stage.Get("/slow").Gives(CoapCode.Content);
        }
    }

    private sealed class CrowdedRole : IUserCodeTracker
    {
        public bool IsCrowded => true;

        public void EnterUserCode()
        {
        }

        public bool ExitUserCode() => true;
    }

    private sealed class CollectingScheduler : TaskScheduler, IDisposable
    {
        private readonly ConcurrentQueue<Task> _tasks = new();

        public bool Refuses { get; set; }

        public void RunAll()
        {
            while (_tasks.TryDequeue(out Task? task))
            {
                TryExecuteTask(task);
            }
        }

        public void Dispose() => _tasks.Clear();

        protected override void QueueTask(Task task)
        {
            if (Refuses)
            {
                throw new InvalidOperationException("The scheduler is full.");
            }

            _tasks.Enqueue(task);
        }

        protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued) => false;

        protected override IEnumerable<Task> GetScheduledTasks() => _tasks;
    }
}
