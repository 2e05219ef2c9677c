using CoAP.NET.AspNetCore.Endpoints;
using Microsoft.AspNetCore.Routing.Patterns;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.AspNetCore.Tests.Endpoints;

/// <summary>Web applications with very many endpoints.</summary>
public sealed class ManyEndpointsTests
{
    private static readonly string[] s_segments = ["/a", "/b", "/c", "/{x}", "/{*r}"];

    // Allocated bytes stand for the work.
    [Theory]
    [InlineData("/r{0}")]
    [InlineData("/r{0}/{{x:int}}")]
    [InlineData("/{{x}}/r{0}")]
    public async Task The_memory_to_map_endpoints_grows_linearly_with_their_number(string template)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Services.AddRouting();
        await using WebApplication application = builder.Build();
        long some = Mapping(1500);
        long twice = Mapping(3000);
        Assert.True(twice < 3 * some, $"{some} bytes for 1,500 endpoints, {twice} for 3,000");

        long Mapping(int count)
        {
            CoapEndpointMappingOptions options = new();
            ServedEndpoint[] endpoints = [.. Enumerable.Range(0, count)
                .Select(i => string.Format(System.Globalization.CultureInfo.InvariantCulture, template, i))
                .Select(text => EndpointOf(text, application.Services, options))];
            EndpointRunner runner = new(options, application.Services, _ => Task.CompletedTask, NullLogger.Instance);
            return Allocations.Least(() =>
            {
                List<string> problems = [];
                new EndpointToCoapRouteMapper(endpoints, new CoapRoutes().Routes, runner, options.Translator.Json).Map(problems);
                Assert.Empty(problems);
            });
        }
    }

    [Fact]
    public void Endpoints_whose_paths_overlap_are_found()
    {
        VirtualRandom random = new(20_261_125);
        string[] paths = [.. PathsOf(4)];
        for (int round = 0; round < 100; round++)
        {
            EndpointRouteOverlapIndex index = new();
            EndpointRouteTemplate[] shapes = [.. Enumerable.Range(0, 20).Select(_ => Draw(random))];
            for (int i = 0; i < shapes.Length; i++)
            {
                index.Add(shapes[i], i);
            }

            foreach (EndpointRouteTemplate shape in shapes)
            {
                string[] own = [.. paths.Where(path => Matches(shape, path))];
                Assert.Equal(
                    Enumerable.Range(0, shapes.Length).Where(i => own.Any(path => Matches(shapes[i], path))), index.Overlapping(shape));
            }
        }
    }

    private static ServedEndpoint EndpointOf(string template, IServiceProvider services, CoapEndpointMappingOptions options)
    {
        RouteEndpoint endpoint = new(_ => Task.CompletedTask, RoutePatternFactory.Parse(template), 0,
            new EndpointMetadataCollection(new HttpMethodMetadata(["GET"])), template);
        return new ServedEndpoint(endpoint, services.GetRequiredService<ParameterPolicyFactory>(),
            new EndpointAuthorization(endpoint, services), options.Timeout, options.Translator.Codes);
    }

    private static EndpointRouteTemplate Draw(VirtualRandom random)
    {
        string text = string.Empty;
        for (int length = (int)(random.NextUInt64() % 4); length > 0 && !text.EndsWith("{*r}", Ordinal); length--)
        {
            text += s_segments[random.NextUInt64() % (ulong)s_segments.Length].Replace("x", $"x{length}", Ordinal);
        }

        return EndpointRouteTemplate.Of(RoutePatternFactory.Parse(text))[0];
    }

    private static IEnumerable<string> PathsOf(int length) => length == 0 ? [string.Empty]
        : PathsOf(length - 1).SelectMany(path => path.Count(c => c == '/') == length - 1
            ? new[] { path, path + "/a", path + "/b", path + "/c", path + "/d" } : [path]).Distinct();

    private static bool Matches(EndpointRouteTemplate shape, string path)
    {
        string[] template = Segments(shape.Template);
        string[] segments = Segments(path);
        for (int i = 0; i < template.Length; i++)
        {
            if (template[i].StartsWith("{*", Ordinal))
            {
                return true;
            }

            if (i >= segments.Length || (template[i][0] != '{' && template[i] != segments[i]))
            {
                return false;
            }
        }

        return segments.Length == template.Length;

        static string[] Segments(string text) => text.Split('/', StringSplitOptions.RemoveEmptyEntries);
    }
}
