using System.Collections.Frozen;

namespace CoAP.NET.Options;

/// <summary>
/// Cached options of results that have only a Content-Format, one for each registered format: nearly every response has only this option.
/// They never change; a caller that wants to change the options of a result gets a copy.
/// </summary>
internal static class ContentFormatOptionCache
{
    private static readonly FrozenDictionary<ushort, CoapOptionCollection> s_registered =
        ContentFormatRegistry.Numbers.ToFrozenDictionary(value => value, value => Make(value, shared: true));

    /// <summary>Returns the options with only a Content-Format: shared ones for a registered format, new ones for another.</summary>
    public static CoapOptionCollection Of(CoapContentFormat format) =>
        s_registered.TryGetValue(format.Value, out CoapOptionCollection? shared) ? shared : Make(format.Value, shared: false);

    private static CoapOptionCollection Make(ushort value, bool shared)
    {
        CoapOptionCollection options = new CoapOptionCollection(code: CoapCode.Content)
            .AddUInt(OptionNumber.ContentFormat, value);
        return shared ? options.MakeReadOnly() : options;
    }
}
