namespace CoAP.NET.Hosting.Configuration;

/// <summary>Replaces all limits of an endpoint by those of a preset, before other keys change single ones.</summary>
internal sealed class LimitPreset(CoapEndpointOptions options)
{
    /// <summary>The limits; null because the options do not know which preset they came from.</summary>
    public CoapLimits? Preset
    {
        get => null;
        set => options.Limits = value!;
    }
}
