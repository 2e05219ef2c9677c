namespace CoAP.NET.Tests.Guides;

/// <summary>The resource class of docs/server.md.</summary>
internal sealed class Lamp() : CoapResource("/lamp")
{
    private bool _isOn;

    protected override ValueTask<CoapResult> GetAsync(CoapRequestContext request, CancellationToken cancellationToken) =>
        new(_isOn ? "on" : "off");

    protected override ValueTask<CoapResult> PutAsync(CoapRequestContext request, CancellationToken cancellationToken)
    {
        _isOn = request.GetText() == "on";
        Notify();
        return new(CoapResults.Changed());
    }
}
