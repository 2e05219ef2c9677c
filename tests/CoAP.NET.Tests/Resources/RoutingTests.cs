using CoAP.NET.Composition.Stages;
using CoAP.NET.Resources;
using CoAP.NET.Uris;

namespace CoAP.NET.Tests.Resources;

public class RoutingTests
{
    private readonly ResourceStage _stage = new();

    [Theory]
    [InlineData("/", "root")]
    [InlineData("/a", "a")]
    [InlineData("/a/", "a-slash")]
    [InlineData("/A", null)]
    [InlineData("//", null)]
    [InlineData("/a/b", "a-b")]
    [InlineData("/a%2Fb", "slash inside")]
    [InlineData("/a/x", "a-x")]
    [InlineData("/a/x/c", "a-x-c")]
    [InlineData("/a/b/c", "a-b-c")]
    [InlineData("/a/b/d", null)]
    [InlineData("/files", "files-")]
    [InlineData("/files/x/y", "files-x/y")]
    [InlineData("/files/x%2F..%25/y", "files-x%2F..%25/y")]
    [InlineData("/files/readme", "readme")]
    [InlineData("/files/readme/2", "files-readme/2")]
    [InlineData("/nowhere", null)]
    public void A_path_leads_to_the_route_with_the_most_literal_segments(string path, string? expected)
    {
        _stage.MapGet("/", () => "root");
        _stage.MapGet("/a", () => "a");
        _stage.MapGet("/a/", () => "a-slash");
        _stage.MapGet("/a/b", () => "a-b");
        _stage.MapGet("/a%2Fb", () => "slash inside");
        _stage.MapGet("/a/{x}", request => $"a-{request.Route["x"]}");
        _stage.MapGet("/a/{x}/c", request => $"a-{request.Route["x"]}-c");
        _stage.MapGet("/files/{*path}", request => $"files-{request.Route["path"]}");
        _stage.MapGet("/files/readme", () => "readme");
        CoapResult result = _stage.Get(path);
        if (expected is null)
        {
            Assert.Equal(CoapCode.NotFound, result.Code);
        }
        else
        {
            Assert.Equal(expected, Encoding.UTF8.GetString(result.Payload.Span));
        }
    }

    [Fact]
    public void A_path_of_a_single_empty_segment_is_the_root()
    {
        _stage.MapGet("/", () => "root");
        CoapMessage message = new(CoapCode.Get);
        message.Options.Add(OptionNumber.UriPath, default);
        _stage.Send(message).Gives(CoapCode.Content);
    }

    [Theory]
    [Rfc("7252-5.10.1-1")]
    [InlineData("2e")]
    [InlineData("2e 2e")]
    [InlineData("ff")]
    public void A_dot_segment_or_invalid_UTF_8_matches_no_parameter(string segment)
    {
        _stage.MapGet("/a/{x}", () => "parameter");
        _stage.MapGet("/b/{*x}", () => "rest");
        foreach (string first in new[] { "a", "b" })
        {
            CoapMessage message = ResourceStage.Message(CoapMethod.Get, first);
            message.Options.Add(OptionNumber.UriPath, Wire.Hex(segment));
            _stage.Send(message).Gives(CoapCode.NotFound);
        }
    }

    [Fact]
    [Rfc("7252-5.8-1", "8132-2-2", "8132-3-4")]
    public void A_request_to_a_known_path_with_another_method_gets_4_05()
    {
        _stage.MapGet("/a", () => "get");
        _stage.MapPut("/a", () => CoapResults.Changed());
        _stage.MapPost("/{x}", () => CoapResults.Changed());
        _stage.Map("/p", [CoapMethod.Patch, CoapMethod.IPatch], (CoapRequestContext request) =>
            CoapResults.Text(request.Method.ToString()));
        _stage.Get("/a").Gives(CoapCode.Content);
        _stage.Send(CoapMethod.Put, "/a").Gives(CoapCode.Changed);
        _stage.Send(CoapMethod.Post, "/a").Gives(CoapCode.MethodNotAllowed);
        _stage.Send((CoapMethod)31, "/a").Gives(CoapCode.MethodNotAllowed);
        _stage.Get("/b").Gives(CoapCode.MethodNotAllowed);
        Assert.Equal("Patch", Text(_stage.Send(CoapMethod.Patch, "/p")));
        Assert.Equal("IPatch", Text(_stage.Send(CoapMethod.IPatch, "/p")));
    }

    [Fact]
    public void A_conflicting_route_is_refused_and_the_error_says_what_to_do()
    {
        _stage.MapGet("/a/{id}", () => "first");
        InvalidOperationException exception = Assert.Throws<InvalidOperationException>(() => _stage.MapGet("/a/{name}", () => "second"));
        exception.Mentions("/a/{id}");
        exception.Mentions("/a/{name}");
        exception.Mentions("Unmap");
        _stage.MapPut("/a/{name}", request => request.Route["name"]);
        _stage.MapGet("/a/b", () => "literal");
        Assert.Equal("first", Text(_stage.Get("/a/x")));
        Assert.Equal("x", Text(_stage.Send(CoapMethod.Put, "/a/x")));
        Assert.Throws<ArgumentException>(() => _stage.Map("/c", [], () => "nothing"));
        Assert.Throws<ArgumentException>(() => _stage.Map("/c", [(CoapMethod)69], () => "no request"));
    }

    [Fact]
    public void Routes_can_be_added_and_removed_while_requests_are_served()
    {
        CoapRouteHandlerBuilder get = _stage.MapGet("/a/b", () => "get");
        CoapRouteHandlerBuilder put = _stage.MapPut("/a/b", () => "put");
        Assert.True(get.Unmap());
        Assert.False(get.Unmap());
        _stage.Get("/a/b").Gives(CoapCode.MethodNotAllowed);
        Assert.True(put.Unmap());
        _stage.Get("/a/b").Gives(CoapCode.NotFound);
        _stage.MapGet("/a/b", () => "again");
        Assert.Equal("again", Text(_stage.Get("/a/b")));
    }

    [Fact]
    public void Route_parameter_values_are_decoded_segments()
    {
        CoapRouteValues? values = null;
        _stage.MapGet("/d/{id}/p/{name}", request =>
        {
            values = request.Route;
            return CoapResults.Changed();
        });
        _stage.Get("/d/1%2F2/p/%C3%B6");
        Assert.Equal("1/2", values!["id"]);
        Assert.Equal("\u00f6", values["name"]);
        Assert.Equal(2, values.Count);
        Assert.Throws<KeyNotFoundException>(() => values["other"]);
    }

    [Fact]
    public void The_route_tree_finds_the_same_route_as_a_naive_search()
    {
        // Random templates and paths over a small alphabet, so that they overlap; the naive search tries every template and takes the most
        // literal one.
        CoAP.NET.Testing.VirtualRandom random = new(20_260_101);
        string[] templateSegments = ["a", "b", "ab", "", "{x}", "{y}"];
        string[] pathSegments = ["a", "b", "ab", "", "zz"];
        for (int round = 0; round < 200; round++)
        {
            RouteTable table = new();
            Dictionary<string, Route> mapped = [];
            for (int i = 0; i < 12; i++)
            {
                string text = Draw(random, templateSegments, 4) + (random.NextUInt64() % 4 == 0 ? "/{*r}" : string.Empty);
                RouteTemplate template;
                try
                {
                    template = RouteTemplate.Parse(text);
                }
                catch (ArgumentException)
                {
                    continue;
                }

                Route route = new(table, table.Root, template, [CoapMethod.Get], (_, _) => default);
                string shape = string.Join('/',
                    template.Segments.Select(segment => segment.Kind == RouteSegmentKind.Literal
                        ? "=" + segment.Text
                        : segment.Kind.ToString()));
                if (mapped.TryAdd(shape, route))
                {
                    table.Add(route);
                }
                else
                {
                    Assert.Throws<InvalidOperationException>(() => table.Add(route));
                }
            }

            foreach (string shape in mapped.Keys.Where(_ => random.NextUInt64() % 4 == 0).ToArray())
            {
                Assert.True(table.Remove(mapped[shape]));
                mapped.Remove(shape);
            }

            for (int i = 0; i < 40; i++)
            {
                string path = Draw(random, pathSegments, 5);
                CoapMessage message = ResourceStage.Message(CoapMethod.Get, path);
                string[] segments = UriEncoding.SplitPath(path);
                Route? expected = mapped.Values.Where(route => Matches(route.Template, segments))
                    .OrderBy(route => Rank(route.Template, segments.Length), StringComparer.Ordinal).FirstOrDefault();
                Assert.Same(expected, table.Find(message.Options, out _)?[CoapCode.Get]);
            }
        }
    }

    private static string Draw(CoAP.NET.Testing.VirtualRandom random, string[] from, int max)
    {
        int count = (int)(random.NextUInt64() % (ulong)(max + 1));
        return string.Concat(Enumerable.Range(0, count).Select(_ => "/" + from[(int)(random.NextUInt64() % (ulong)from.Length)]));
    }

    private static bool Matches(RouteTemplate template, string[] path)
    {
        for (int i = 0; i < template.Segments.Length; i++)
        {
            RouteSegment segment = template.Segments[i];
            if (segment.Kind == RouteSegmentKind.Rest)
            {
                return true;
            }

            if (i >= path.Length || (segment.Kind == RouteSegmentKind.Literal && segment.Text != path[i]))
            {
                return false;
            }
        }

        return template.Segments.Length == path.Length;
    }

    private static string Rank(RouteTemplate template, int length) =>
        string.Concat(Enumerable.Range(0, length + 1)
            .Select(i => i < template.Segments.Length ? ((int)template.Segments[i].Kind).ToString() : "-")).Replace('-', '\0');

    private static string Text(CoapResult result) => Encoding.UTF8.GetString(result.Payload.Span);
}
