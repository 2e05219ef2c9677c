using CoAP.NET.Requesting;
using CoAP.NET.Tests.Caching;
using CoAP.NET.Tests.Messaging;

namespace CoAP.NET.Tests.Requesting;

/// <summary>What the steps cost a request that none of them has anything to do for.</summary>
public sealed class PlainStepTests
{
    [Fact]
    public void A_request_that_concerns_no_step_is_awaited_by_none()
    {
        PendingStep last = new();
        RequestStep chain = Chain(last);
        OutgoingRequest request = Outgoing();
        Assert.Same(last.Pending.Task, chain.SendAsync(request, CancellationToken.None));
        Assert.Same(chain, request.Plain);

        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < 1_000; i++)
        {
            _ = chain.SendAsync(request, CancellationToken.None);
        }

        Assert.Equal(before, GC.GetAllocatedBytesForCurrentThread());
        Assert.Equal(1_001, last.Count);
    }

    [Fact]
    public async Task The_steps_see_the_response_from_the_bottom_up()
    {
        List<string> seen = [];
        PendingStep last = new();
        CoapResponse response = CachedPeers.Response(CoapCode.Content, "0");
        last.Pending.SetResult(response);
        RecordingStep upper = new("upper", seen);
        RecordingStep lower = new("lower", seen) { Next = last };
        upper.Next = lower;
        PlainStep plain = new([upper, lower], last);
        RequestStep chain = RequestSteps.Link(plain, upper, lower, last);
        OutgoingRequest request = Outgoing();
        Assert.Same(response, await chain.SendAsync(request, CancellationToken.None));
        Assert.True(plain.IsOfConcern(request, response));
        Assert.Equal("upper", (await plain.ReviewAsync(request, response, CancellationToken.None)).GetText());
        Assert.Equal(["lower after 0", "upper after lower"], seen);
        upper.IsBusy = true;
        OutgoingRequest other = Outgoing();
        Assert.Same(response, await chain.SendAsync(other, CancellationToken.None));
        Assert.Null(other.Plain);
        Assert.Equal(2, last.Count);
    }

    private static RequestStep Chain(RequestStep last)
    {
        CoapEnvironment environment = new MessagingRig().Environment;
        RequestStep[] steps = [new PatienceStep(environment, CoapPatience.FailFast), new BlockwiseStep(environment), new EchoStep(), new TokenStep(environment)];
        return RequestSteps.Link([new PlainStep(steps, last), .. steps, last]);
    }

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

    private sealed class PendingStep : RequestStep
    {
        public TaskCompletionSource<CoapResponse> Pending { get; } = new();

        public int Count { get; private set; }

        public override Task<CoapResponse> SendAsync(OutgoingRequest request, CancellationToken cancellationToken)
        {
            Count++;
            return Pending.Task;
        }
    }

    private sealed class RecordingStep(string name, List<string> seen) : RequestStep
    {
        public bool IsBusy { get; set; }

        public override Task<CoapResponse> SendAsync(OutgoingRequest request, CancellationToken cancellationToken) => Next.SendAsync(request, cancellationToken);

        public override bool MustSend(OutgoingRequest request) => IsBusy;

        public override bool Concerns(OutgoingRequest request, CoapResponse response) => true;

        public override Task<CoapResponse> CompleteAsync(OutgoingRequest request, CoapResponse response, CancellationToken cancellationToken)
        {
            seen.Add($"{name} after {response.GetText()}");
            return Task.FromResult(CachedPeers.Response(CoapCode.Content, name));
        }
    }
}
