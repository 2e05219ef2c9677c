using System.Collections.Frozen;
using CoAP.NET.Messages;
using CoAP.NET.Options;

namespace CoAP.NET.Resources;

/// <summary>
/// The options of a result that has a Content-Format and nothing else, made once for each registered format: nearly every answer is such a
/// one. They are never changed; who asks a result for options that may be changed gets a copy.
/// </summary>
internal static class FormatOptions
{
    private static readonly FrozenDictionary<ushort, CoapOptionCollection> s_registered =
        ContentFormatRegistry.Numbers.ToFrozenDictionary(value => value, value => Make(value, shared: true));

    /// <summary>The options with a Content-Format alone: shared ones of a registered format, new ones of another.</summary>
    public static CoapOptionCollection Of(CoapContentFormat format) =>
        s_registered.TryGetValue(format.Value, out CoapOptionCollection? shared) ? shared : Make(format.Value, shared: false);

    private static CoapOptionCollection Make(ushort value, bool shared) =>
        new CoapOptionCollection(code: CoapCode.Content) { IsShared = shared }.AddUInt(OptionNumber.ContentFormat, value);
}
