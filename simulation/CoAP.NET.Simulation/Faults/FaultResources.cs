using System.Buffers;
using System.IO.Pipelines;

namespace CoAP.NET.Simulation.Faults;

/// <summary>The server's resources: those of the load, which never fail, and one for each way in which code of a handler can.</summary>
internal sealed class FaultResources
{
    /// <summary>What is downloaded, and what is uploaded: several blocks.</summary>
    public static readonly byte[] Body = MakeBody();

    private readonly FaultInjector _injector;
    private readonly CoapServer _server;
    private int _routes;
    private int _ticks;

    public FaultResources(FaultInjector injector, CoapServer server)
    {
        _injector = injector;
        _server = server;
        MapLoad();
        MapHandlers();
        MapAround();
        MapBodies();
    }

    /// <summary>How often the resource that the load observes has changed.</summary>
    public int Ticks => Volatile.Read(ref _ticks);

    /// <summary>Changes it, and tells its observers.</summary>
    public void Tick()
    {
        Interlocked.Increment(ref _ticks);
        _server.Notify("/tick");
    }

    /// <summary>Adds a route that nobody asked yet, whose filter is made when the first request comes.</summary>
    /// <returns>Its path.</returns>
    public string AddRoute()
    {
        string path = $"/made/{Interlocked.Increment(ref _routes)}";
        _server.MapGet(path, () => "made").AddFilterFactory((_, next) =>
        {
            _injector.Hit("a filter factory");
            return next;
        });
        return path;
    }

    private static byte[] MakeBody()
    {
        byte[] body = new byte[8000];
        for (int i = 0; i < body.Length; i++)
        {
            body[i] = (byte)(i * 7 / 3);
        }

        return body;
    }

    private void MapLoad()
    {
        _server.MapGet("/plain", () => "plain");
        _server.MapGet("/port", request => CoapResults.Text($"{request.Peer.Address.Port}"));
        _server.MapPost("/echo", request => CoapResults.Changed(CoapContent.Binary(request.Payload.ToArray())));
        _server.MapGet("/large", () => CoapResults.Bytes(Body));
        _server.MapPut("/upload",
            request => request.Payload.Span.SequenceEqual(Body) ? CoapResults.Changed() : CoapResults.BadRequest("other bytes"));
        _server.MapGet("/later", async (request, cancellationToken) =>
        {
            await Task.Yield();
            return CoapResults.Text("later");
        });
        _server.MapGet("/tick", () => $"{Ticks}").Observable();
    }

    private void MapHandlers()
    {
        _server.MapGet("/handler", () => Fail("a handler"));
        _server.MapGet("/handler/awaiting", async () =>
        {
            await Task.Yield();
            return Fail("a handler, after an await");
        });
        _server.MapGet("/handler/null",
            _ => _injector.TryTake("a handler that returns null", 0, out ArmedFault? _) ? null! : CoapResults.Text("fine"));
        _server.MapGet("/handler/queued", () => Fail("a handler that is queued")).WithExecution(queued: 1);
        _server.MapGet("/handler/serial", () => Fail("a serial handler")).WithExecution(CoapExecution.Serial());
        _server.MapGet("/handler/scheduler", () => "fine").WithExecution(CoapExecution.On(new FaultTasks(_injector)));
        _server.MapGet("/handler/option", request => $"{request.Options.OfType<FaultOption>().FirstOrDefault()?.Value}");
        _server.MapGet("/handler/notes", () => new CoapResult(CoapCode.Valid, "too much"u8.ToArray()));
        _server.MapGet("/handler/unwritable", () =>
        {
            CoapResult result = CoapResults.Text("fine");
            if (_injector.TryTake("a response that has no form on the wire", 0, out _))
            {
                result.OwnOptions.Add(65_002, new byte[70_000]);
            }

            return result;
        });
        _server.MapGet("/observed", () => Fail("an observed resource, for a notification")).Observable();
        _server.AddResource("/resource", _ => new Resource(_injector));
    }

    private void MapAround()
    {
        CoapRouteGroup filtered = _server.Routes.MapGroup("/filter");
        filtered.AddFilter((request, next, cancellationToken) =>
        {
            _injector.Hit("a filter, before the handler");
            return next(request, cancellationToken);
        });
        filtered.MapGet("/before", () => "fine");
        CoapRouteGroup after = _server.Routes.MapGroup("/filter2");
        after.AddFilter(async (request, next, cancellationToken) =>
        {
            CoapResult result = await next(request, cancellationToken);
            _injector.Hit("a filter, after the handler");
            return result;
        });
        after.MapGet("/after", () => "fine");
        _server.MapGet("/limited", () => "fine").RequireRateLimiting(_ =>
        {
            _injector.Hit("a rate limiter");
            return null;
        });
        _server.MapGet("/described", () => CoapResults.Conflict()).WithErrorContent((_, _, _) =>
        {
            _injector.Hit("WithErrorContent");
            return null;
        });
        _server.MapGet("/listed", () => "fine").WithDiscoveryCondition(_ =>
        {
            _injector.Hit("WithDiscoveryCondition");
            return true;
        });
        _server.MapGet("/metered", () => Fail("a metered handler"));
    }

    private void MapBodies()
    {
        CoapETag etag = CoapETag.FromContent(Body);
        _server.MapGet("/stream", () => CoapResults.Stream(new FaultStream(_injector, "the stream of a response", Body), etag));
        _server.MapPut("/reader", async (request, cancellationToken) =>
        {
            long length = 0;
            while (true)
            {
                ReadResult read = await request.BodyReader.ReadAsync(cancellationToken);
                length += read.Buffer.Length;
                request.BodyReader.AdvanceTo(read.Buffer.End);
                if (length > 2000)
                {
                    _injector.Hit("a handler, in the middle of a body that it reads");
                }

                if (read.IsCompleted)
                {
                    return length == Body.Length ? CoapResults.Changed() : CoapResults.BadRequest($"{length} bytes");
                }
            }
        }).WithStreamedBody();
    }

    private CoapResult Fail(string place)
    {
        if (_injector.Hides && _injector.TryTake(place, 0, out _))
        {
            return CoapResults.InternalServerError();
        }

        _injector.Hit(place);
        return CoapResults.Text("fine");
    }

    private sealed class Resource : CoapResource
    {
        private readonly FaultInjector _injector;

        public Resource(FaultInjector injector)
        {
            injector.Hit("the factory of a CoapResource");
            _injector = injector;
        }

        protected override ValueTask<CoapResult> GetAsync(CoapRequestContext request, CancellationToken cancellationToken)
        {
            _injector.Hit("a method of a CoapResource");
            return new ValueTask<CoapResult>(CoapResults.Text("fine"));
        }
    }
}
