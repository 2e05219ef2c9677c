using CoAP.NET.Requesting;
using CoAP.NET.Tests.Caching;
using CoAP.NET.Tests.Messaging;

namespace CoAP.NET.Tests.Requesting;

/// <summary>What the steps cost a request that none of them has anything to do for.</summary>
public sealed class PlainStepTests
{
    [Fact]
    public void A_request_that_concerns_no_step_is_awaited_once()
    {
        PendingStep last = new();
        RequestStep chain = Chain(last);
        OutgoingRequest request = Outgoing();
        for (int i = 0; i < 100; i++)
        {
            _ = chain.SendAsync(request, CancellationToken.None);
        }

        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < 1_000; i++)
        {
            _ = chain.SendAsync(request, CancellationToken.None);
        }

        // One wait is 150 B or so, a wait in each step three times as much.
        Assert.InRange((GC.GetAllocatedBytesForCurrentThread() - before) / 1_000, 1, 250);
        Assert.Equal(1_100, last.Count);
    }

    [Fact]
    public async Task The_steps_see_the_response_from_the_bottom_up()
    {
        List<string> seen = [];
        PendingStep last = new();
        last.Pending.SetResult(CachedPeers.Response(CoapCode.Content, "0"));
        RecordingStep upper = new("upper", seen);
        RecordingStep lower = new("lower", seen) { Next = last };
        upper.Next = lower;
        RequestStep chain = RequestSteps.Link(new PlainStep([upper, lower], last), upper, lower, last);
        Assert.Equal("upper", (await chain.SendAsync(Outgoing(), CancellationToken.None)).GetText());
        Assert.Equal(["lower after 0", "upper after lower"], seen);
        upper.IsBusy = true;
        Assert.Equal("0", (await chain.SendAsync(Outgoing(), CancellationToken.None)).GetText());
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
