using System.Collections.Frozen;
using CoAP.NET.Cryptography;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;

namespace CoAP.NET.Explorer.Pages;

/// <summary>
/// The files of a page, embedded in this assembly: its own, the shared ones, and uPlot. The content security policy prevents loading
/// anything else.
/// </summary>
internal sealed class PageFiles
{
    private const string Policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private static readonly FrozenDictionary<string, string> s_types = new Dictionary<string, string>
    {
        [".html"] = "text/html; charset=utf-8",
        [".js"] = "text/javascript; charset=utf-8",
        [".css"] = "text/css; charset=utf-8",
        [".svg"] = "image/svg+xml",
    }
    .ToFrozenDictionary();

    private readonly FrozenDictionary<string, PageFile> _files;

    private PageFiles(IEnumerable<PageFile> files) => _files = files.ToFrozenDictionary(static file => file.Name);

    public static PageFiles Of(string page)
    {
        string[] folders = [page + "/", "shared/", "vendor/uplot/"];
        return new PageFiles(typeof(PageFiles).Assembly.GetManifestResourceNames()
            .Select(static name => name.Replace('\\', '/'))
            .Where(name => folders.Any(folder => name.StartsWith(folder, StringComparison.Ordinal)) && s_types.ContainsKey(
                Path.GetExtension(name)))
            .Select(Read));
    }

    /// <summary>Maps the page and its files.</summary>
    public void Map(RouteGroupBuilder group)
    {
        group.MapGet("/", IndexAsync).WithDisplayName("CoAP page");
        group.MapGet("/assets/{name}", context => SendAsync(context, (string)context.Request.RouteValues["name"]!))
            .WithDisplayName("Files of a CoAP page");
    }

    private static PageFile Read(string name)
    {
        using Stream stream = typeof(PageFiles).Assembly.GetManifestResourceStream(name)!;
        byte[] bytes = new byte[stream.Length];
        stream.ReadExactly(bytes);
        return new PageFile(Path.GetFileName(name), bytes, s_types[Path.GetExtension(name)],
            $"\"{Convert.ToHexStringLower(Sha256.HashData(bytes).AsSpan(0, 8))}\"");
    }

    // Routing treats a path with and without a trailing slash as equal; addresses in the page are relative to the slash.
    private Task IndexAsync(HttpContext context)
    {
        HttpRequest request = context.Request;
        if (request.Path.Value is { Length: > 0 } path && path[^1] == '/')
        {
            return SendAsync(context, "index.html");
        }

        context.Response.Redirect($"{request.PathBase}{request.Path}/{request.QueryString}");
        return Task.CompletedTask;
    }

    private async Task SendAsync(HttpContext context, string name)
    {
        if (!_files.TryGetValue(name, out PageFile? file))
        {
            context.Response.StatusCode = StatusCodes.Status404NotFound;
            return;
        }

        IHeaderDictionary headers = context.Response.Headers;
        headers.ContentSecurityPolicy = Policy;
        headers["Referrer-Policy"] = "no-referrer";
        headers["Cross-Origin-Opener-Policy"] = "same-origin";
        headers["Cross-Origin-Resource-Policy"] = "same-origin";
        headers.CacheControl = "no-cache";
        headers.ETag = file.Tag;
        if (context.Request.Headers.IfNoneMatch.ToString() == file.Tag)
        {
            context.Response.StatusCode = StatusCodes.Status304NotModified;
            return;
        }

        context.Response.ContentType = file.Type;
        context.Response.ContentLength = file.Bytes.Length;
        await context.Response.Body.WriteAsync(file.Bytes, context.RequestAborted).ConfigureAwait(false);
    }

    private sealed record PageFile(string Name, byte[] Bytes, string Type, string Tag);
}
