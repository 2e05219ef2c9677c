using System.Globalization;
using CoAP.NET.Resources;

namespace CoAP.NET;

/// <summary>A link of a document in link format: a target and attributes that describe it (RFC 6690). Immutable.</summary>
public sealed class CoapLink
{
    private readonly CoapLinkAttribute[] _attributes;

    /// <summary>Makes a link.</summary>
    /// <param name="target">The URI reference of the target, such as <c>/sensors/temp</c>; may be empty.</param>
    /// <param name="attributes">The attributes.</param>
    /// <exception cref="ArgumentException">The target has characters that no URI has, or an attribute stands twice that may stand once (RFC
    /// 6690 section 3).</exception>
    public CoapLink(string target, params IEnumerable<CoapLinkAttribute> attributes)
    {
        ArgumentNullException.ThrowIfNull(target);
        ArgumentNullException.ThrowIfNull(attributes);
        if (target.Any(character => !LinkSyntax.IsTargetCharacter(character)))
        {
            throw new ArgumentException($"'{target}' is no URI reference. Percent-encode spaces, quotes and angle brackets.",
                nameof(target));
        }

        Target = target;
        _attributes = [.. attributes];
        string? twice = _attributes.GroupBy(attribute => attribute.Name, StringComparer.OrdinalIgnoreCase)
            .FirstOrDefault(group => group.Count() > 1 && LinkSyntax.IsOnlyOnce(group.Key))?.Key;
        if (twice is not null)
        {
            throw new ArgumentException(
                $"A link has at most one '{twice}' (RFC 6690 section 3). Write several values into one, divided by spaces.",
                nameof(attributes));
        }
    }

    /// <summary>The URI reference of the target, as it stands between the angle brackets; not percent-decoded.</summary>
    public string Target { get; }

    /// <summary>The attributes in order.</summary>
    public IReadOnlyList<CoapLinkAttribute> Attributes => _attributes;

    /// <summary>The relation types (<c>rel</c>); <c>hosts</c> when none is given (RFC 6690 section 2.2).</summary>
    public IReadOnlyList<string> Relations => GetList("rel") is { Length: > 0 } relations ? relations : ["hosts"];

    /// <summary>The resource types (<c>rt</c>; RFC 6690 section 3.1).</summary>
    public IReadOnlyList<string> ResourceTypes => GetList("rt");

    /// <summary>The interface descriptions (<c>if</c>; RFC 6690 section 3.2).</summary>
    public IReadOnlyList<string> Interfaces => GetList("if");

    /// <summary>The Content-Formats (<c>ct</c>; RFC 7252 section 7.2.1); what is no number from 0 to 65,535 is left out.</summary>
    public IReadOnlyList<CoapContentFormat> ContentFormats =>
        [.. GetList("ct").Where(text => ushort.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out _))
            .Select(text => new CoapContentFormat(ushort.Parse(text, CultureInfo.InvariantCulture)))];

    /// <summary>
    /// The size in bytes (<c>sz</c>; RFC 6690 section 3.3); <see cref="long.MaxValue"/> when it is larger still; null when it is missing or
    /// no number.
    /// </summary>
    public long? Size
    {
        get
        {
            string? text = GetValue("sz");
            return string.IsNullOrEmpty(text) || !text.All(char.IsAsciiDigit) ? null
                : long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out long size) ? size : long.MaxValue;
        }
    }

    /// <summary>The title for people: <c>title*</c> where it can be read, otherwise <c>title</c>; null when there is none.</summary>
    public string? Title => (GetValue("title*") is { } extended ? LinkSyntax.DecodeExtended(extended) : null) ?? GetValue("title");

    /// <summary>
    /// The context of the link when it is not the one that holds the target (<c>anchor</c>; RFC 6690 section 2.3); null when there is none.
    /// </summary>
    public string? Anchor => GetValue("anchor");

    /// <summary>Whether the resource can usefully be observed (<c>obs</c>; RFC 7641 section 6). A value does not count.</summary>
    public bool IsObservable => Has("obs");

    /// <summary>The link with an attribute, in the place of those with its name.</summary>
    /// <param name="name">The name.</param>
    /// <param name="value">The value; null for none.</param>
    /// <returns>The new link.</returns>
    /// <exception cref="ArgumentException">Name or value cannot be written.</exception>
    public CoapLink With(string name, string? value = null) =>
        new(Target, [.. _attributes.Where(attribute => !attribute.IsNamed(name)), new CoapLinkAttribute(name, value)]);

    /// <summary>Whether there is an attribute of a name, with or without value.</summary>
    /// <param name="name">The name; its case does not count.</param>
    /// <returns>Whether there is one.</returns>
    public bool Has(string name) => Array.Exists(_attributes, attribute => attribute.IsNamed(name));

    /// <summary>The value of the first attribute of a name.</summary>
    /// <param name="name">The name; its case does not count.</param>
    /// <returns>The value; null when there is no such attribute or it has none.</returns>
    public string? GetValue(string name) => Array.Find(_attributes, attribute => attribute.IsNamed(name)).Value;

    /// <summary>The absolute URI of the target (RFC 3986 section 5.2).</summary>
    /// <param name="baseUri">The absolute URI of the document, such as <c>coap://[2001:db8::1]/.well-known/core</c>.</param>
    /// <returns>The URI.</returns>
    public string ResolveTarget(string baseUri) => UriReference.Resolve(baseUri, Target);

    /// <summary>The absolute URI of the context: the anchor, or else scheme and authority of the target (RFC 6690 section 2.1).</summary>
    /// <param name="baseUri">The absolute URI of the document.</param>
    /// <returns>The URI.</returns>
    public string ResolveContext(string baseUri) =>
        Anchor is { } anchor ? UriReference.Resolve(baseUri, anchor) : UriReference.GetOrigin(ResolveTarget(baseUri));

    /// <summary>The link as it stands in a document.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => CoapLinkFormat.Format([this]);

    private string[] GetList(string name) => GetValue(name)?.Split(' ', StringSplitOptions.RemoveEmptyEntries) ?? [];
}
