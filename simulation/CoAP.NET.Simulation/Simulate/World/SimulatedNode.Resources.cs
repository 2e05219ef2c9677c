namespace CoAP.NET.Simulation.Simulate;

// What a node serves.
internal sealed partial class SimulatedNode
{
    private static readonly CoapMethod[] s_methods = [CoapMethod.Get, CoapMethod.Post, CoapMethod.Put, CoapMethod.Delete, CoapMethod.Fetch,
        CoapMethod.Patch, CoapMethod.IPatch];

    private readonly Dictionary<int, int> _runs = [];
    private readonly int[] _values = new int[2];
    private int _limited;

    /// <summary>How many times the handler of each request that is not idempotent ran.</summary>
    public IReadOnlyDictionary<int, int> Runs => _runs;

    public static string PathOf(SimulatedRoute route) => route switch
    {
        SimulatedRoute.Plain => "/plain",
        SimulatedRoute.Queued => "/queued",
        SimulatedRoute.Serial => "/serial",
        SimulatedRoute.Fresh => "/fresh",
        SimulatedRoute.Limited => "/limited",
        SimulatedRoute.Forward => "/forward",
        SimulatedRoute.State => "/state",
        _ => "/large-state",
    };

    /// <summary>The newest value of an observable resource; it lasts through restarts.</summary>
    public int ValueOf(SimulatedRoute route) => _values[route - SimulatedRoute.State];

    public void Change(SimulatedRoute route)
    {
        _values[route - SimulatedRoute.State]++;
        _server?.Notify(PathOf(route));
    }

    private void MapRoutes(CoapServer server)
    {
        server.Map(PathOf(SimulatedRoute.Plain), s_methods, ServeAsync);
        server.Map(PathOf(SimulatedRoute.Queued), s_methods, ServeAsync).RunQueued(1, 2);
        server.Map(PathOf(SimulatedRoute.Serial), s_methods, ServeAsync).Serial(2);
        server.Map(PathOf(SimulatedRoute.Fresh), s_methods, ServeAsync).RequireFreshness(TimeSpan.FromSeconds(30));
        server.Map(PathOf(SimulatedRoute.Limited), s_methods, ServeAsync)
            .LimitRate(_ => _limited++ % 2 == 0 ? TimeSpan.FromSeconds(1 + (_limited % 5)) : null);
        if (Plan.ForwardsTo >= 0)
        {
            server.Map(PathOf(SimulatedRoute.Forward), s_methods, ForwardAsync);
        }

        foreach (SimulatedRoute route in new[] { SimulatedRoute.State, SimulatedRoute.LargeState })
        {
            server.MapGet(PathOf(route), request => Show(request, route))
                .Observable(TimeSpan.FromSeconds(Plan.MaxAge),
                    Plan.NotifiesNonConfirmable ? CoapNotificationMode.NonConfirmable : CoapNotificationMode.Confirmable);
        }
    }

    private CoapResult Show(CoapRequest request, SimulatedRoute route)
    {
        _world.CheckThread();
        int value = _world.Plant?.Show(this, route, request) ?? ValueOf(route);
        return new CoapResult(CoapCode.Content, Answers.State(value, Plan.Index, route == SimulatedRoute.LargeState))
            .WithETag(CoapETag.FromVersion((ulong)value + 1));
    }

    private ValueTask<CoapResult> ServeAsync(CoapRequest request, CancellationToken cancellationToken) =>
        Enter(request) is not { } asked ? new(new CoapResult(CoapCode.BadRequest))
        : _world.Plant is { } plant ? plant.ServeAsync(this, asked, () => AnswerAsync(request, asked, cancellationToken))
        : AnswerAsync(request, asked, cancellationToken);

    private async ValueTask<CoapResult> AnswerAsync(CoapRequest request, Step asked, CancellationToken cancellationToken)
    {
        _world.CheckThread();
        if (asked.HandlerTime > 0)
        {
            await _world.DelayAsync(TimeSpan.FromMilliseconds(asked.HandlerTime), cancellationToken).ConfigureAwait(false);
            _world.CheckThread();
        }

        switch (asked.Failure)
        {
            case HandlerFailure.Throws:
            case HandlerFailure.Cancels:
                throw new PlannedException();
            case HandlerFailure.ReturnsNull:
                return null!;
            default:
                CoapCode code = request.Method switch
                {
                    CoapMethod.Get or CoapMethod.Fetch => CoapCode.Content,
                    CoapMethod.Delete => CoapCode.Deleted,
                    _ => CoapCode.Changed,
                };
                return new CoapResult(code, Answers.Download(asked.Id, Plan.Index, asked.Download));
        }
    }

    private async ValueTask<CoapResult> ForwardAsync(CoapRequest request, CancellationToken cancellationToken)
    {
        if (Enter(request) is not { } asked)
        {
            return new CoapResult(CoapCode.BadRequest);
        }

        CoapRequest next = new(request.Method, $"{_world.Nodes[Plan.ForwardsTo].Uri}{PathOf(SimulatedRoute.Plain)}?{Answers.Query(asked)}")
        {
            Confirmable = request.Confirmable,
            Timeout = LongestTimes.Forwarding,
            Content = asked.Upload > 0 ? CoapContent.Binary(request.Payload) : null,
        };
        if (request.Method == CoapMethod.Fetch && asked.Upload == 0)
        {
            next.Content = CoapContent.Binary(ReadOnlyMemory<byte>.Empty);
        }

        try
        {
            CoapResponse response = await Endpoint.SendAsync(next, cancellationToken).ConfigureAwait(false);
            _world.CheckThread();

            // 4.08 and 4.13 say that the request was not carried out for want of blocks, which is true of the next hop only: whoever is
            // told so sends everything again.
            return response.Code == CoapCode.RequestEntityIncomplete || response.Code == CoapCode.RequestEntityTooLarge
                ? new CoapResult(CoapCode.BadGateway)
                : new CoapResult(response.Code, response.Payload);
        }
        catch (CoapTimeoutException)
        {
            _world.CheckThread();
            return new CoapResult(CoapCode.GatewayTimeout);
        }
        catch (CoapException)
        {
            return new CoapResult(CoapCode.BadGateway);
        }
    }

    private Step? Enter(CoapRequest request)
    {
        _world.CheckThread();
        _world.CheckBounds(this);
        if (Answers.Read(request) is not { } asked)
        {
            return null;
        }

        _world.Note(Plan.Index, "serves", asked.Id, request.Method);
        if (request.Method != asked.Method)
        {
            // Before a body goes by Q-Block1 the client asks by a GET whether the server knows the option (RFC 9177 section 4.1).
            return asked with { Failure = HandlerFailure.None };
        }

        if (request.Method is CoapMethod.Post or CoapMethod.Patch)
        {
            _runs[asked.Id] = _runs.GetValueOrDefault(asked.Id) + 1;
        }

        if (asked.Upload > 0 && !_world.Scenario.Corrupts && !request.Payload.Span.SequenceEqual(Answers.Upload(asked.Id, asked.Upload)))
        {
            _world.Violate(CheckKind.Bodies,
                $"the body of request {asked.Id} came as {request.Payload.Length} B that are not the {asked.Upload} B that were sent",
                Plan.Index);
        }

        return asked;
    }
}
