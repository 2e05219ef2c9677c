using CoAP.NET.Resources;

namespace CoAP.NET.Benchmarks;

/// <summary>What a path is like that is looked up.</summary>
public enum PathShape
{
    /// <summary>Two segments that a template names.</summary>
    Literal,

    /// <summary>Three segments, the one in the middle of which is a parameter.</summary>
    Parameter,

    /// <summary>Ten segments, two of which are parameters.</summary>
    Deep,

    /// <summary>A path that is nearly there: its last segment is not.</summary>
    Missing,
}

/// <summary>
/// Finding the route of a request, by how many routes there are and what its path is like. A third each of the routes are literal, with a
/// parameter and deep.
/// </summary>
[MemoryDiagnoser]
public class RouteBenchmarks
{
    private const int Lookups = 1024;

    private readonly CoapOptionCollection[] _paths = new CoapOptionCollection[Lookups];
    private RouteTable _table = null!;

    /// <summary>How many routes there are.</summary>
    [Params(10, 1_000, 10_000)]
    public int Routes { get; set; }

    /// <summary>What the paths are like.</summary>
    [ParamsAllValues]
    public PathShape Shape { get; set; }

    /// <summary>Maps the routes, makes options as they come off the wire, and checks that each lookup finds the right route.</summary>
    [GlobalSetup]
    public void Setup()
    {
        _table = new RouteTable();
        for (int i = 0; i < Routes; i++)
        {
            _table.Root.MapGet(TemplateOf((PathShape)(i % 3), i / 3), () => CoapResults.NotFound());
        }

        for (int i = 0; i < Lookups; i++)
        {
            // In no order: a large prime visits all of them.
            int number = (int)(i * 1_000_003L % (Routes / 3));
            _paths[i] = OptionsOf(PathOf(Shape, number));
            string? found = _table.Find(_paths[i], out _)?[CoapCode.Get]?.Template.Text;
            string? expected = Shape == PathShape.Missing ? null : TemplateOf(Shape, number);
            if (found != expected)
            {
                throw new InvalidOperationException($"The route of {PathOf(Shape, number)} is {found} instead of {expected}.");
            }
        }
    }

    /// <summary>One lookup.</summary>
    [Benchmark(OperationsPerInvoke = Lookups)]
    public int Find()
    {
        int found = 0;
        foreach (CoapOptionCollection path in _paths)
        {
            found += _table.Find(path, out _) is null ? 0 : 1;
        }

        return found;
    }

    private static string TemplateOf(PathShape shape, int number) => shape switch
    {
        PathShape.Literal => $"/sensor-{number}/value",
        PathShape.Parameter => $"/group-{number}/{{id}}/value",
        _ => $"/site-{number}/building/{{building}}/floor/north/rooms/{{room}}/devices/climate/temperature",
    };

    private static string PathOf(PathShape shape, int number) => shape switch
    {
        PathShape.Literal => $"/sensor-{number}/value",
        PathShape.Parameter => $"/group-{number}/4711/value",
        PathShape.Deep => $"/site-{number}/building/7/floor/north/rooms/12/devices/climate/temperature",
        _ => $"/group-{number}/4711/values",
    };

    private static CoapOptionCollection OptionsOf(string path)
    {
        CoapMessage message = new(CoapCode.Get);
        foreach (string segment in path.Split('/', StringSplitOptions.RemoveEmptyEntries))
        {
            message.Options.Add(new UriPathOption(segment));
        }

        return CoapDatagramSerializer.Default.Deserialize(CoapDatagramSerializer.Default.Serialize(message)).Options;
    }
}
