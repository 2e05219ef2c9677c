namespace CoAP.NET.Survival.Scenarios;

/// <summary>Opens sites. In a self-check a site is used for several scenarios, as its start takes most of the time.</summary>
internal sealed class Sites : IAsyncDisposable
{
    private Site? _site;

    /// <summary>Opens a site whose nodes all run.</summary>
    /// <param name="sizes">How large it is.</param>
    /// <param name="layout">What it consists of.</param>
    public async Task<Site> OpenAsync(Sizes sizes, SiteLayout layout)
    {
        if (_site is null || _site.Layout != layout || !layout.IsReusable || !sizes.IsSelfCheck)
        {
            await CloseAsync();
            _site = await Site.OpenAsync(sizes, layout);
        }

        await _site.AddNodesAsync(layout.Nodes - _site.Nodes.Count);
        return _site;
    }

    /// <summary>Closes the site, if one is open.</summary>
    public async Task CloseAsync()
    {
        if (_site is not null)
        {
            await _site.DisposeAsync();
            _site = null;
        }
    }

    public async ValueTask DisposeAsync() => await CloseAsync();
}
