using CoAP.NET.Blockwise.Client;
using CoAP.NET.Caching;
using CoAP.NET.Exchanges;
using CoAP.NET.Execution;
using CoAP.NET.RequestSteps;
using CoAP.NET.Tests.Caching;
using CoAP.NET.Tests.Messaging;

namespace CoAP.NET.Tests.Requests;

/// <summary>The loop that runs the steps of a request.</summary>
public sealed class OutgoingRequestRunTests
{
    private readonly List<string> _seen = [];

    [Fact]
    public async Task Steps_see_the_request_top_down_and_the_response_bottom_up()
    {
        CoapResponse response = CachedPeers.Response(CoapCode.Content, "0");
        Task<CoapResponse> sent = Chain(Step("upper"), Step("lower"), Ending(StepOutcome.Done(response))).SendAsync(Outgoing());
        Assert.True(sent.IsCompletedSuccessfully);
        Assert.Same(response, await sent);
        Assert.Equal(["before upper", "before lower", "after lower 0", "after upper 0"], _seen);
    }

    [Fact]
    public void A_request_without_work_for_any_step_allocates_nothing()
    {
        CoapEnvironment environment = new MessagingRig().Environment;
        OutgoingRequestPipeline chain =
            new(null!, new RetryAfterStep(environment, CoapTooManyRequestsBehavior.FailFast), new BlockwiseStep(environment),
            new EchoStep(), new ExtendedTokenRequestStep(environment));
        OutgoingRequest request = Outgoing();
        CoapResponse response = CachedPeers.Response(CoapCode.Content, "0");
        long allocated = Allocations.Least(() =>
        {
            for (int i = 0; i < 1_000; i++)
            {
                OutgoingRequestRun run = new(chain, request, 0);
                StepOutcome down = run.Advance(StepOutcome.Go);
                bool isSame = ReferenceEquals(request, run.Request);
                StepOutcome up = run.Advance(StepOutcome.Done(response));
                if (down.Kind != RequestStepOutcomeKind.Go || up.Kind != RequestStepOutcomeKind.Done || !isSame
                    || !ReferenceEquals(response, up.Response))
                {
                    Assert.Fail($"{down.Kind}, {up.Kind}");
                }
            }
        });

        Assert.Equal(0, allocated);
    }

    [Fact]
    public async Task A_run_may_start_at_any_step()
    {
        CoapResponse response = CachedPeers.Response(CoapCode.Content, "0");
        await Chain(Step("upper"), Step("lower"), Ending(StepOutcome.Done(response))).SendAsync(Outgoing(), 1);
        Assert.Equal(["before lower", "after lower 0"], _seen);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_response_produced_by_a_step_is_passed_up_and_not_down(bool waits)
    {
        StepOutcome done = StepOutcome.Done(CachedPeers.Response(CoapCode.Content, "stored"));
        RecordingStep middle = Step("middle");
        middle.OnBefore = _ => waits ? Later(done) : done;
        Task<CoapResponse> sent = Chain(Step("upper"), middle, Step("lower")).SendAsync(Outgoing());
        Assert.True(waits || sent.IsCompletedSuccessfully);
        await sent.Says("stored");
        Assert.Equal(["before upper", "before middle", "after upper stored"], _seen);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_request_replaced_by_a_step_is_seen_by_the_steps_below_and_the_step_sees_both(bool waits)
    {
        OutgoingRequest request = Outgoing();
        OutgoingRequest? made = null;
        RecordingStep middle = Step("middle");
        middle.OnBefore = given =>
        {
            made = given with { Message = given.CopyMessage() };
            return waits ? Later(StepOutcome.GoWith(made)) : StepOutcome.GoWith(made);
        };
        RecordingStep upper = Step("upper");
        RecordingStep lower = Step("lower");
        Task<CoapResponse> sent = Chain(upper, middle, lower, Ending(StepOutcome.Done(CachedPeers.Response(CoapCode.Content, "0"))))
            .SendAsync(request);
        await sent;
        Assert.Equal([(request, request, 0)], upper.Afters);
        Assert.Equal([(request, made!, 0)], middle.Afters);
        Assert.Equal([(made!, made!, 0)], lower.Afters);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_request_sent_again_passes_the_steps_below_again_and_its_attempts_are_counted(bool waits)
    {
        OutgoingRequest request = Outgoing();
        RecordingStep middle = Step("middle");
        middle.OnAfter = (given, sent, response) => sent.AttemptOf(given) == 2 ? StepOutcome.Done(response)
            : waits ? Later(StepOutcome.Again(given)) : StepOutcome.Again(given);
        RecordingStep lower = Step("lower");
        int count = 0;
        RecordingStep last = Ending(default);
        last.OnBefore = _ => StepOutcome.Done(CachedPeers.Response(CoapCode.Content, $"{count++}"));
        Task<CoapResponse> task = Chain(Step("upper"), middle, lower, last).SendAsync(request);
        await task.Says("2");
        Assert.Equal(
            [
                "before upper", "before middle",
                "before lower", "after lower 0", "after middle 0",
                "before lower", "after lower 1", "after middle 1",
                "before lower", "after lower 2", "after middle 2",
                "after upper 2",
            ],
            _seen);
        Assert.Equal([0, 1, 2], middle.Afters.Select(static seen => seen.Attempt));
        Assert.All(middle.Afters, seen => Assert.Same(request, seen.Given));

        // Attempts are those of the step alone.
        Assert.Equal([0, 0, 0], lower.Afters.Select(static seen => seen.Attempt));
    }

    [Fact]
    public async Task Requests_of_a_step_itself_pass_only_the_steps_below()
    {
        RecordingStep middle = Step("middle");
        middle.OnBefore = given => StepOutcome.Wait(TalkAsync());
        async Task<CoapResponse> TalkAsync()
        {
            await middle.SendBelowAsync(Outgoing());
            return await middle.SendBelowAsync(Outgoing());
        }

        CoapResponse response = await Chain(Step("upper"), middle, Step("lower"),
            Ending(StepOutcome.Done(CachedPeers.Response(CoapCode.Content, "0")))).SendAsync(Outgoing());
        response.Says("0");
        Assert.Equal(["before upper", "before middle", "before lower", "after lower 0", "before lower", "after lower 0", "after upper 0"],
            _seen);
    }

    [Theory]
    [InlineData("before", false)]
    [InlineData("before", true)]
    [InlineData("after", false)]
    [InlineData("after", true)]
    public async Task An_exception_of_a_step_is_seen_by_the_steps_above_and_not_by_those_below(string where, bool waits)
    {
        CoapException error = new("broken");
        RecordingStep middle = Step("middle");
        StepOutcome Break() => waits ? StepOutcome.Wait(BreakAsync()) : throw error;
        async Task<StepOutcome> BreakAsync()
        {
            await Task.Yield();
            throw error;
        }

        if (where == "before")
        {
            middle.OnBefore = _ => Break();
        }
        else
        {
            middle.OnAfter = (_, _, _) => Break();
        }

        Task<CoapResponse> task = Chain(Step("upper"), middle, Step("lower"),
            Ending(StepOutcome.Done(CachedPeers.Response(CoapCode.Content, "0")))).SendAsync(Outgoing());
        Assert.Same(error, await Assert.ThrowsAsync<CoapException>(() => task));
        Assert.Equal("failed upper broken", _seen[^1]);
        Assert.DoesNotContain("failed middle broken", _seen);
        Assert.DoesNotContain("failed lower broken", _seen);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_failure_is_passed_up_until_a_step_sends_the_request_again(bool waits)
    {
        RecordingStep middle = Step("middle");
        middle.OnFailed = (given, sent, _) => waits ? Later(StepOutcome.Again(given)) : StepOutcome.Again(given);
        RecordingStep last = Ending(default);
        int count = 0;
        last.OnBefore = _ => count++ == 0 ? throw new CoapException("gone") : StepOutcome.Done(CachedPeers.Response(CoapCode.Content, "1"));
        Task<CoapResponse> task = Chain(Step("upper"), middle, Step("lower"), last).SendAsync(Outgoing());
        await task.Says("1");
        Assert.Equal(
            ["before upper", "before middle", "before lower", "failed lower gone", "failed middle gone", "before lower", "after lower 1",
                "after middle 1", "after upper 1"], _seen);
    }

    [Theory]
    [InlineData("before")]
    [InlineData("after")]
    [InlineData("failed")]
    [InlineData("conversation")]
    public async Task Cancelling_the_wait_of_a_step_cancels_the_request(string where)
    {
        using CancellationTokenSource cancel = new();
        OutgoingRequest request = Outgoing() with { Cancellation = cancel.Token };
        RecordingStep middle = Step("middle");
        async Task<StepOutcome> WaitAsync()
        {
            await new TaskCompletionSource().Task.WaitAsync(request.Cancellation);
            return StepOutcome.Go;
        }

        async Task<CoapResponse> TalkAsync()
        {
            await new TaskCompletionSource().Task.WaitAsync(request.Cancellation);
            return CachedPeers.Response(CoapCode.Content);
        }

        RecordingStep last = Ending(StepOutcome.Done(CachedPeers.Response(CoapCode.Content, "0")));
        switch (where)
        {
            case "before":
                middle.OnBefore = _ => StepOutcome.Wait(WaitAsync());
                break;
            case "after":
                middle.OnAfter = (_, _, _) => StepOutcome.Wait(WaitAsync());
                break;
            case "failed":
                last.OnBefore = static _ => throw new CoapException("gone");
                middle.OnFailed = (_, _, _) => StepOutcome.Wait(WaitAsync());
                break;
            default:
                middle.OnBefore = _ => StepOutcome.Wait(TalkAsync());
                break;
        }

        Task<CoapResponse> task = Chain(Step("upper"), middle, last).SendAsync(request);
        Assert.False(task.IsCompleted);
        await cancel.CancelAsync();
        OperationCanceledException cancelled = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => task);
        Assert.True(task.IsCanceled);
        Assert.Equal(cancel.Token, cancelled.CancellationToken);
        _seen[^1].Begins("failed upper");
    }

    [Fact]
    public void A_copy_of_a_request_keeps_the_settings_of_the_caller_and_no_notes_of_steps()
    {
        OutgoingRequest request = Outgoing() with
        {
            TokenLength = 20,
            FirstBlock = CachedPeers.Response(CoapCode.Content),
            Timeout = FromSeconds(3)
        };
        request.Note = new CacheStepState();
        request.UntaggedResource = 7;
        OutgoingRequest copy = request with { Message = request.CopyMessage() };
        Assert.Equal((20, request.FirstBlock, request.Timeout, request.Channel),
            (copy.TokenLength, copy.FirstBlock, copy.Timeout, copy.Channel));
        Assert.Null(copy.Note);
        Assert.Null(copy.UntaggedResource);
        Assert.Null(copy.MadeOf);
        OutgoingRequest whole = copy with { FirstBlock = null };
        Assert.Null(whole.FirstBlock);
        Assert.NotNull(copy.FirstBlock);
    }

    private static StepOutcome Later(StepOutcome outcome)
    {
        return StepOutcome.Wait(WaitAsync());

        async Task<StepOutcome> WaitAsync()
        {
            await Task.Yield();
            return outcome;
        }
    }

    private RecordingStep Step(string name) => new(name, _seen);

    private static RecordingStep Ending(StepOutcome outcome) => new("last", []) { OnBefore = _ => outcome };

    private static OutgoingRequestPipeline Chain(params ReadOnlySpan<OutgoingRequestStep> steps) => new(null!, steps);

    private static OutgoingRequest Outgoing()
    {
        CoapMessage message = CachedPeers.Request("x");
        return new OutgoingRequest
        {
            Request = new CoapRequest(message),
            Message = message,
            Channel = CachedPeers.Channel(CachedPeers.Server),
            Target = null,
            Timeout = null,
            StartedAt = 0,
        };
    }

    private sealed class RecordingStep(string name, List<string> seen) : OutgoingRequestStep
    {
        public Func<OutgoingRequest, StepOutcome> OnBefore { get; set; } = static _ => StepOutcome.Watch;

        public Func<OutgoingRequest, OutgoingRequest, CoapResponse, StepOutcome> OnAfter { get; set; } = static (_, _, response) =>
            StepOutcome.Done(response);

        public Func<OutgoingRequest, OutgoingRequest, Exception, StepOutcome> OnFailed { get; set; } = static (_, _, exception) =>
            StepOutcome.Fail(exception);

        public List<(OutgoingRequest Given, OutgoingRequest Sent, int Attempt)> Afters { get; } = [];

        public override StepOutcome Before(OutgoingRequest request)
        {
            seen.Add($"before {name}");
            return OnBefore(request);
        }

        public override StepOutcome After(OutgoingRequest request, OutgoingRequest sent, CoapResponse response)
        {
            seen.Add($"after {name} {response.GetText()}");
            Afters.Add((request, sent, sent.AttemptOf(request)));
            return OnAfter(request, sent, response);
        }

        public override StepOutcome Failed(OutgoingRequest request, OutgoingRequest sent, Exception exception)
        {
            seen.Add($"failed {name} {exception.Message}");
            return OnFailed(request, sent, exception);
        }
    }
}
