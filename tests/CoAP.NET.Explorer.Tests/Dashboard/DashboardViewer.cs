using CoAP.NET.Explorer.Pages;
using Microsoft.AspNetCore.Http;

namespace CoAP.NET.Explorer.Tests.Dashboard;

/// <summary>A page that looks, without a browser: what it is sent is kept.</summary>
internal sealed class DashboardViewer : IDisposable
{
    private readonly MemoryStream _body = new();

    public DashboardViewer()
    {
        DefaultHttpContext context = new();
        context.Response.Body = _body;
        Lines = new PageEventWriter(context);
    }

    public PageEventWriter Lines { get; }

    /// <summary>All that it was sent.</summary>
    public async Task<JsonElement[]> EndAsync()
    {
        Lines.Complete();
        await Lines.SendAsync();
        return Parse(Encoding.UTF8.GetString(_body.ToArray()));
    }

    public void Dispose() => _body.Dispose();

    public static JsonElement[] Parse(string lines) =>
        [.. lines.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(line => JsonDocument.Parse(line).RootElement)];
}
