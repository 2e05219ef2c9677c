using CoAP.NET.Composition;
using CoAP.NET.Composition.Stages;
using CoAP.NET.Resources;
using CoAP.NET.Tests.Shared;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Tests.Resources;

/// <summary>Servers with very many routes.</summary>
public class ManyRoutesTests
{
    private readonly RouteTable _table = new();

    // Allocated bytes stand for the work: what is copied for each route has to be allocated.
    [Theory]
    [InlineData("/r{0}")]
    [InlineData("/r{0}/state")]
    [InlineData("/{{x}}/r{0}")]
    public void Mapping_twice_as_many_routes_allocates_about_twice_as_much(string template)
    {
        long some = Allocations.Least(() => Map(template, 3000));
        long twice = Allocations.Least(() => Map(template, 6000));
        Assert.True(twice < 3 * some, $"{some} bytes for 3,000 routes, {twice} for 6,000");
    }

    [Fact]
    public void Unmapping_twice_as_many_routes_allocates_about_twice_as_much()
    {
        Queue<RouteTable> tables = new([
            .. Enumerable.Repeat(3000, Allocations.Runs).Concat(Enumerable.Repeat(6000, Allocations.Runs)).Select(MapPlain)]);
        long some = Allocations.Least(() => UnmapAll(tables.Dequeue()));
        long twice = Allocations.Least(() => UnmapAll(tables.Dequeue()));
        Assert.True(twice < 3 * some, $"{some} bytes for 3,000 routes, {twice} for 6,000");
    }

    [Theory]
    [InlineData(LiteralSegmentMap.MaxWidth)]
    [InlineData(LiteralSegmentMap.MaxWidth + 1)]
    [InlineData(2000)]
    [InlineData(9000)]
    public void A_path_finds_its_route_among_many_routes_that_are_added_and_removed(int count)
    {
        VirtualRandomOrder order = new(20_261_125);
        Dictionary<string, Route> mapped = [];
        foreach (int i in order.Of(count))
        {
            Add(mapped, i);
        }

        AssertFinds(mapped, count);
        foreach (int i in order.Of(count).Take(count * 9 / 10))
        {
            Assert.True(_table.Remove(mapped[PathOf(i)]));
            mapped.Remove(PathOf(i));
        }

        AssertFinds(mapped, count);
        foreach (int i in order.Of(count).Where(i => !mapped.ContainsKey(PathOf(i))))
        {
            Add(mapped, i);
        }

        AssertFinds(mapped, count);
        foreach (Route route in mapped.Values)
        {
            Assert.True(_table.Remove(route));
        }

        Assert.True(_table.IsEmpty);
    }

    [Fact]
    public void A_lookup_that_began_before_a_change_finds_the_previous_routes()
    {
        const int Count = 500;
        Route[] routes = [.. Enumerable.Range(0, Count).Select(i => RouteOf(PathOf(i)))];
        List<RouteNode> trees = [RouteNode.Empty];
        trees.AddRange(routes.Select(route => trees[^1].With(route)));
        trees.AddRange(routes.Select(route => trees[^1].Without(route) ?? RouteNode.Empty));
        for (int step = 0; step < trees.Count; step += 17)
        {
            for (int i = 0; i < Count; i++)
            {
                // The routes come in their order, and then go in the same order.
                bool isThere = i < step && step <= Count + i;
                CoapOptionCollection options = ResourceStage.Message(CoapMethod.Get, PathOf(i)).Options;
                Assert.Same(isThere ? routes[i] : null, trees[step].Find(options, 0, options.Count)?[CoapCode.Get]);
            }
        }
    }

    // Lengths differ, and the order of the text is not that of the numbers.
    private static string PathOf(int i) => $"/{i * 7919L}";

    private static RouteTable Map(string template, int count)
    {
        RouteTable table = new();
        for (int i = 0; i < count; i++)
        {
            table.Root.MapGet(string.Format(System.Globalization.CultureInfo.InvariantCulture, template, i), () => "");
        }

        RouteSchemeSetup.Settle(table, [], NullLogger.Instance);
        _ = WellKnownCore.LinksOf(table).Count();
        return table;
    }

    private static RouteTable MapPlain(int count) => Map("/r{0}", count);

    private static void UnmapAll(RouteTable table)
    {
        foreach (Route route in table.Snapshot().Routes)
        {
            table.Remove(route);
        }
    }

    private Route RouteOf(string path) =>
        new(_table, _table.Root, RouteTemplate.Parse(path), [CoapMethod.Get], (_, _) => default);

    private void Add(Dictionary<string, Route> mapped, int i)
    {
        Route route = RouteOf(PathOf(i));
        mapped.Add(PathOf(i), route);
        _table.Add(route);
    }

    private void AssertFinds(Dictionary<string, Route> mapped, int count)
    {
        // Some paths before, between and after those of the routes.
        IEnumerable<string> others = Enumerable.Range(0, count).Select(i => $"/{(i * 7919L) + 1}");
        foreach (string path in Enumerable.Range(0, count).Select(PathOf).Concat(others).Append("/").Append("/zzzzzzzzzzzz"))
        {
            Assert.Same(mapped.GetValueOrDefault(path),
                _table.Find(ResourceStage.Message(CoapMethod.Get, path).Options, out _)?[CoapCode.Get]);
        }
    }

    private sealed class VirtualRandomOrder(ulong seed)
    {
        private readonly CoAP.NET.Testing.VirtualRandom _random = new(seed);

        public int[] Of(int count) => [.. Enumerable.Range(0, count).OrderBy(_ => _random.NextUInt64())];
    }
}
