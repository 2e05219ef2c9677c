using System.IO.Pipelines;
using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.Hosting.BoundRoutes;

/// <summary>Handlers with a parameter of each source; each answers with what it was given.</summary>
public static class SourceRoutes
{
    public static void Map(ICoapRouteBuilder routes)
    {
        MapBasics(routes);
        MapQueries(routes);
        MapOptions(routes);
        MapBodies(routes);
        MapServices(routes);
    }

    private static void MapBasics(ICoapRouteBuilder routes)
    {
        routes.MapGet("/basics/{x}",
            (CoapRequestContext request, string x, CoapPeer peer, CancellationToken ct) =>
                $"{request.Method} {x} {peer.Scheme} {ct.CanBeCanceled}");
        routes.MapGet("/route/{id}", (int id) => $"{id}");
        routes.MapGet("/route/number/{n}", (double n) => FormattableString.Invariant($"{n}"));
        routes.MapGet("/renamed/{id}", ([CoapFromRoute(Name = "id")] Guid which) => $"{which:N}");
        routes.MapGet("/rest/{*path}", (string path) => path);
        routes.MapGet("/same/{name}", ([CoapFromQuery] string? name) => name ?? "none");
        CoapRouteGroup group = routes.MapGroup("/tenants/{tenant}");
        group.MapGet("/users/{user}", (string tenant, string user) => $"{user} at {tenant}");
        group.MapGet("/wrong", ([CoapFromRoute] string tenant, int? page) => $"{tenant} {page}");
    }

    private static void MapQueries(ICoapRouteBuilder routes)
    {
        routes.MapGet("/query/required", (int limit) => $"{limit}");
        routes.MapGet("/query/optional", (int? limit) => $"{limit ?? -1}");
        routes.MapGet("/query/text", (string? q) => q ?? "none");
        routes.MapGet("/query/default",
            (int limit = 10, string order = "asc", DayOfWeek day = DayOfWeek.Friday, double factor = 1.5, bool all = true,
                char mark = '\'') =>
                FormattableString.Invariant($"{limit} {order} {day} {factor} {all} {mark}"));
        routes.MapGet("/query/types",
            (bool flag, DayOfWeek day, Access access, Guid id, decimal price, TimeSpan age) =>
                FormattableString.Invariant($"{flag} {day} {access} {id:N} {price} {age}"));
        routes.MapGet("/query/price", (decimal price) => FormattableString.Invariant($"{price}"));
        routes.MapGet("/query/floats", (float[] f, Half? h) => FormattableString.Invariant($"{string.Join('+', f)} {h}"));
        routes.MapGet("/query/times",
            (DateTimeOffset at, DateTime? local, DateOnly? date) => FormattableString.Invariant($"{at:O} {local:O} {date:O}"));
        routes.MapGet("/query/own", (Fahrenheit t) => $"{t.Degrees}");
        routes.MapGet("/query/array",
            (int[] id, string[]? tag) => $"{string.Join('+', id)} {(tag is null ? "null" : string.Join('+', tag))}");
        routes.MapGet("/query/named", ([CoapFromQuery(Name = "if")] string face, Uri? link) => $"{face} {link}");
    }

    private static void MapOptions(ICoapRouteBuilder routes)
    {
        routes.MapGet("/option/etag", (CoapETag? etag) => etag is { } value ? value.ToString() : "none");
        routes.MapPost("/option/format", (CoapContentFormat format, byte[] body) => $"{format.Value} {body.Length}");
        routes.MapGet("/option/typed", (HopLimitOption hops, UriHostOption? host) => $"{hops.Value} {host?.Value ?? "none"}");
        routes.MapGet("/option/number",
            ([CoapFromOption(65000)] string? text, [CoapFromOption(65002)] uint number, [CoapFromOption(65004)] bool there,
                [CoapFromOption(65006)] byte[][] all) =>
                $"{text ?? "null"} {number} {there} {string.Join('+', all.Select(Convert.ToHexStringLower))}");
    }

    private static void MapBodies(ICoapRouteBuilder routes)
    {
        routes.MapPost("/body/json", (Device device) => $"{device.Id} {device.Setpoint}");
        routes.MapPost("/body/optional", (Device? device) => device?.Id ?? "none");
        routes.MapPost("/body/text", ([CoapFromBody] string text) => text);
        routes.MapPost("/body/text/optional", ([CoapFromBody] string text = "silence") => text);
        routes.MapPut("/body/number", ([CoapFromBody] double value) => FormattableString.Invariant($"{value}"));
        routes.MapPut("/body/number/optional", ([CoapFromBody] int? value) => FormattableString.Invariant($"{value ?? -1}"));
        routes.MapPost("/body/bytes", (byte[] bytes) => Convert.ToHexStringLower(bytes));
        routes.MapPost("/body/bytes/optional", (byte[]? bytes) => bytes is null ? "none" : Convert.ToHexStringLower(bytes));
        routes.MapPost("/body/memory", (ReadOnlyMemory<byte> bytes) => Convert.ToHexStringLower(bytes.Span));
        routes.MapPost("/body/stream", async (Stream stream, CancellationToken ct) =>
        {
            using StreamReader reader = new(stream);
            return await reader.ReadToEndAsync(ct);
        });
        routes.MapPost("/body/pipe",
            async (PipeReader pipe, CancellationToken ct) => $"{(await pipe.ReadAtLeastAsync(3, ct)).Buffer.Length}");
        routes.MapPost("/body/list", (List<Device> devices) => $"{devices.Count}");
        routes.Map("/body/both", [CoapMethod.Put, CoapMethod.Post],
            (CoapRequestContext request, Device device) => $"{request.Method} {device.Id}");
        routes.Map("/body/marked", [CoapMethod.Fetch, CoapMethod.Get], ([CoapFromBody] Device? device) => device?.Id ?? "none");
    }

    private static void MapServices(ICoapRouteBuilder routes)
    {
        routes.MapGet("/service", (IDeviceStore store) => store.Name);
        routes.MapGet("/service/class", (DeviceStore? store) => store?.Name ?? "none");
        routes.MapPost("/service/marked", ([CoapFromServices] DeviceStore? store) => store?.Name ?? "none");
        routes.MapGet("/service/keyed", ([FromKeyedServices("spare")] IDeviceStore store) => store.Name);
        routes.MapGet("/service/keyed/optional", ([FromKeyedServices(DayOfWeek.Monday)] IDeviceStore? store) => store?.Name ?? "none");
        routes.MapGet("/service/provider", (IServiceProvider services) => services.GetRequiredService<IDeviceStore>().Name);
    }
}
