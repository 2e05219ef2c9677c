namespace CoAP.NET.Simulation.Simulate;

/// <summary>All defects that can be planted, by the word for the command line.</summary>
internal static class Plants
{
    public static IReadOnlyDictionary<string, Func<Plant>> All { get; } = new SortedDictionary<string, Func<Plant>>(StringComparer.Ordinal)
    {
        ["forgotten-request"] = () =>
            new Sending("one request in five never ends", CheckKind.Ends, (step, request, send, token) =>
                step.Id % 5 == 0 ? new TaskCompletionSource<CoapResponse>().Task : send(request, token)),
        ["deaf-to-cancellation"] = () =>
            new Sending("requests do not notice that they are cancelled", CheckKind.Ends,
                (_, request, send, _) => send(request, CancellationToken.None)),
        ["untyped-error"] = () =>
            new Sending("a time-out is an InvalidOperationException", CheckKind.TypedError, async (_, request, send, token) =>
            {
                try
                {
                    return await send(request, token);
                }
                catch (CoapTimeoutException exception)
                {
                    throw new InvalidOperationException("late", exception);
                }
            }),
        ["swapped-answers"] = () => new SwappedAnswers(),
        ["forgotten-duplicates"] = () => new ForgottenDuplicates(),
        ["changed-block"] = () => new ChangedBlock(),
        ["lost-notification"] = () =>
            new OldState("observers are shown the state before the last one", CheckKind.LastState,
                (node, route, _) => Math.Max(0, node.ValueOf(route) - 1)),
        ["time-goes-back"] = () =>
            new OldState("each third state that is shown is an older one", CheckKind.Order,
                (node, route, count) => count % 3 == 2 ? Math.Max(0, node.ValueOf(route) - 2) : node.ValueOf(route)),
        ["wide-table"] = () =>
            new Configured("endpoints have more observers than their bound says", CheckKind.Bounds,
                (_, options) => options.Limits.Observe.MaxObservers = 10_000),
        ["lost-buffer"] = () => new LostBuffer(),
        ["stuck-handler"] = () => new Serving("one handler in ten never answers", CheckKind.Quiet, (_, asked, serve) =>
            asked.Id % 10 == 0 ? new ValueTask<CoapResult>(new TaskCompletionSource<CoapResult>().Task) : serve()),
        ["left-timer"] = () => new LeftTimer(),
        ["failing-block"] = () => new Configured("a stage throws at some datagrams", CheckKind.Errors, (_, options) =>
        {
            int count = 0;
            options.Pipeline.Insert(CoapStageLinks.ChannelToSerializer,
                () => new StageLinkBlock<CoapDatagram>(
                    datagram => ++count % 20 == 0 ? throw new InvalidOperationException("planted") : datagram,
                    options.LoggerFactory.CreateLogger("planted")));
        }),
        ["other-thread"] = () =>
            new Serving("a handler goes on on another thread", CheckKind.OneThread,
                (_, asked, serve) => asked.Id % 4 == 0 ? OnOtherThread(serve) : serve()),
        ["own-chance"] = () => new OwnChance(),
    };

    // The thread is waited for, so that a busy machine does not finish the run before it begins.
    private static ValueTask<CoapResult> OnOtherThread(Func<ValueTask<CoapResult>> serve)
    {
        ValueTask<CoapResult> served = default;
        Thread other = new(() => served = serve());
        other.Start();
        other.Join();
        return served;
    }

    private sealed class Sending(string summary, CheckKind check,
        Func<Step, CoapRequest, Func<CoapRequest, CancellationToken, Task<CoapResponse>>, CancellationToken, Task<CoapResponse>> how)
        : Plant
    {
        public override string Summary => summary;

        public override CheckKind FoundBy => check;

        public override Task<CoapResponse> SendAsync(Step step, CoapRequest request,
            Func<CoapRequest, CancellationToken, Task<CoapResponse>> send, CancellationToken cancellationToken) =>
                how(step, request, send, cancellationToken);
    }

    private sealed class Serving(string summary, CheckKind check,
        Func<SimulatedNode, Step, Func<ValueTask<CoapResult>>, ValueTask<CoapResult>> how) : Plant
    {
        public override string Summary => summary;

        public override CheckKind FoundBy => check;

        public override ValueTask<CoapResult> ServeAsync(SimulatedNode node, Step asked, Func<ValueTask<CoapResult>> serve) =>
            how(node, asked, serve);
    }

    private sealed class Configured(string summary, CheckKind check, Action<SimulatedNode, CoapEndpointOptions> configure) : Plant
    {
        public override string Summary => summary;

        public override CheckKind FoundBy => check;

        public override void Configure(SimulatedNode node, CoapEndpointOptions options) => configure(node, options);
    }

    private sealed class OldState(string summary, CheckKind check, Func<SimulatedNode, SimulatedRoute, int, int> show) : Plant
    {
        private int _count;

        public override string Summary => summary;

        public override CheckKind FoundBy => check;

        public override int? Show(SimulatedNode node, SimulatedRoute route, CoapRequestContext request) => show(node, route, _count++);
    }

    private sealed class LostBuffer : Plant
    {
        public override string Summary => "one datagram in a hundred is dropped without giving its buffer back";

        public override CheckKind FoundBy => CheckKind.Buffers;

        public override void Configure(SimulatedNode node, CoapEndpointOptions options)
        {
            int count = 0;

            // Above the place where what passes is remembered.
            options.Pipeline.Insert(CoapStageLinks.ChannelToSerializer,
                () => new StageLinkBlock<CoapDatagram>(datagram => ++count % 100 == 5 ? null : datagram));
        }
    }

    private sealed class LeftTimer : Plant
    {
        public override string Summary => "each handler leaves a timer behind";

        public override CheckKind FoundBy => CheckKind.Timers;

        private SimulatedWorld? World { get; set; }

        public override void Begin(SimulatedWorld world) => World = world;

        public override ValueTask<CoapResult> ServeAsync(SimulatedNode node, Step asked, Func<ValueTask<CoapResult>> serve)
        {
            World!.Clock.CreateTimer(_ => { }, null, TimeSpan.FromDays(10), Timeout.InfiniteTimeSpan);
            return serve();
        }
    }

    /// <summary>Gives the response to one request the token of another that waits at the same client.</summary>
    private sealed class SwappedAnswers : Plant
    {
        private readonly Dictionary<CoapAddress, (ulong Token, ushort MessageId)> _waiting = [];

        public override string Summary => "a response bears token and Message ID of another request";

        public override CheckKind FoundBy => CheckKind.RightAnswer;

        public override NetworkVerdict? OnPacket(NetworkPacket packet)
        {
            ReadOnlySpan<byte> data = packet.Data.Span;
            if (data.Length < 8 || (data[0] & 0x0f) != 4)
            {
                return null;
            }

            if (data[1] is > 0 and < 32)
            {
                _waiting[packet.From] = (BinaryPrimitives.ReadUInt32BigEndian(data[4..]), BinaryPrimitives.ReadUInt16BigEndian(data[2..]));
                return null;
            }

            if (data[1] >> 5 != 2 || !_waiting.TryGetValue(packet.To, out (ulong Token, ushort MessageId) other)
                || other.Token == BinaryPrimitives.ReadUInt32BigEndian(data[4..]))
            {
                return null;
            }

            byte[] changed = data.ToArray();
            BinaryPrimitives.WriteUInt32BigEndian(changed.AsSpan(4), (uint)other.Token);
            if ((changed[0] & 0x30) == 0x20)
            {
                BinaryPrimitives.WriteUInt16BigEndian(changed.AsSpan(2), other.MessageId);
            }

            return NetworkVerdict.Replace(changed);
        }
    }

    /// <summary>Each copy of a POST gets a Message ID of its own, so that the server takes it for another request.</summary>
    private sealed class ForgottenDuplicates : Plant
    {
        public override string Summary => "copies of requests are not recognised";

        public override CheckKind FoundBy => CheckKind.RunsOnce;

        public override void Configure(SimulatedNode node, CoapEndpointOptions options)
        {
            HashSet<(CoapAddress, ushort)> seen = [];
            options.Pipeline.Insert(CoapStageLinks.TransportToChannel, () => new StageLinkBlock<CoapDatagram>(datagram =>
            {
                if (datagram.Length > 4 && datagram.Span[1] is 2 or 6
                    && !seen.Add((datagram.Remote, BinaryPrimitives.ReadUInt16BigEndian(datagram.Span[2..]))))
                {
                    datagram.Buffer[datagram.Offset + 2] ^= 0x55;
                }

                return datagram;
            }));
        }
    }

    /// <summary>Changes a byte of each block that a client receives.</summary>
    private sealed class ChangedBlock : Plant
    {
        public override string Summary => "a byte of a block changes";

        public override CheckKind FoundBy => CheckKind.Bodies;

        public override NetworkVerdict? OnPacket(NetworkPacket packet)
        {
            if (packet.Data.Length < 60 || packet.Data.Span[1] >> 5 != 2)
            {
                return null;
            }

            byte[] changed = packet.Data.ToArray();
            changed[^1] ^= 1;
            return NetworkVerdict.Replace(changed);
        }
    }

    /// <summary>Takes its own chance, so that no run is like another.</summary>
    private sealed class OwnChance : Plant
    {
        public override string Summary => "chance comes from elsewhere than the seed";

        public override CheckKind FoundBy => CheckKind.SameAgain;

        public override void Configure(SimulatedNode node, CoapEndpointOptions options) =>
            options.Pipeline.Random = CoapRandomSource.Secure;
    }
}
