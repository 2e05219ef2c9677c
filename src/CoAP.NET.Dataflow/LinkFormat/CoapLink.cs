using System.Globalization;
using CoAP.NET.LinkFormat;

namespace CoAP.NET;

/// <summary>A link of a document in link format: a target and attributes that describe it (RFC 6690).</summary>
/// <remarks>Immutable.</remarks>
/// <example>
/// <code>
/// foreach (CoapLink link in await client.DiscoverAsync("coap://[::1]", "rt=temperature*", cancellationToken))
/// {
///     Console.WriteLine($"{link.Target}: {link.Title}");
/// }
/// </code>
/// </example>
public sealed class CoapLink
{
    private readonly CoapLinkAttribute[] _attributes;

    /// <summary>Creates a link.</summary>
    /// <param name="target">The URI reference of the target, such as <c>/sensors/temp</c>; may be empty.</param>
    /// <param name="attributes">The attributes.</param>
    /// <exception cref="ArgumentException">The target has characters that are invalid in a URI, or an attribute is repeated that may occur
    /// only once (RFC 6690 section 3).</exception>
    public CoapLink(string target, params IEnumerable<CoapLinkAttribute> attributes)
    {
        ArgumentNullException.ThrowIfNull(target);
        ArgumentNullException.ThrowIfNull(attributes);
        if (target.Any(character => !LinkSyntax.IsTargetCharacter(character)))
        {
            throw new ArgumentException($"'{target}' is not a URI reference. Percent-encode spaces, quotes and angle brackets.",
                nameof(target));
        }

        Target = target;
        _attributes = [.. attributes];
        string? twice = _attributes.GroupBy(attribute => attribute.Name, StringComparer.OrdinalIgnoreCase)
            .FirstOrDefault(group => group.Count() > 1 && LinkSyntax.IsOnlyOnce(group.Key))?.Key;
        if (twice is not null)
        {
            throw new ArgumentException(
                $"A link must have at most one '{twice}' (RFC 6690 section 3). Put several values into one, separated by spaces.",
                nameof(attributes));
        }
    }

    /// <summary>The URI reference of the target, as between the angle brackets; not percent-decoded.</summary>
    public string Target { get; }

    /// <summary>The attributes in order.</summary>
    public IReadOnlyList<CoapLinkAttribute> Attributes => _attributes;

    /// <summary>The relation types (<c>rel</c>); <c>hosts</c> if the link has none (RFC 6690 section 2.2).</summary>
    public IReadOnlyList<string> Relations => GetList("rel") is { Length: > 0 } relations ? relations : ["hosts"];

    /// <summary>The resource types (<c>rt</c>; RFC 6690 section 3.1).</summary>
    public IReadOnlyList<string> ResourceTypes => GetList("rt");

    /// <summary>The interface descriptions (<c>if</c>; RFC 6690 section 3.2).</summary>
    public IReadOnlyList<string> Interfaces => GetList("if");

    /// <summary>The Content-Formats (<c>ct</c>; RFC 7252 section 7.2.1), without values outside 0 to 65,535.</summary>
    public IReadOnlyList<CoapContentFormat> ContentFormats =>
        [.. GetList("ct").Where(text => ushort.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out _))
            .Select(text => new CoapContentFormat(ushort.Parse(text, CultureInfo.InvariantCulture)))];

    /// <summary>
    /// The size in bytes (<c>sz</c>; RFC 6690 section 3.3); <see cref="long.MaxValue"/> if it is even larger; null if it is missing or not
    /// a number.
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

    /// <summary>The human-readable title: a valid <c>title*</c>, otherwise <c>title</c>; null if there is none.</summary>
    public string? Title => (GetValue("title*") is { } extended ? LinkSyntax.DecodeExtended(extended) : null) ?? GetValue("title");

    /// <summary>
    /// The context of the link if it differs from the default (<c>anchor</c>; RFC 6690 section 2.3); null if there is none.
    /// </summary>
    public string? Anchor => GetValue("anchor");

    /// <summary>Whether observing the resource is useful (<c>obs</c>; RFC 7641 section 6).</summary>
    /// <remarks>A value is ignored.</remarks>
    public bool IsObservable => Has("obs");

    /// <summary>Returns the link with an attribute that replaces those with its name.</summary>
    /// <param name="name">The name.</param>
    /// <param name="value">The value; null for none.</param>
    /// <returns>The new link.</returns>
    /// <exception cref="ArgumentException">Name or value is invalid in link format.</exception>
    public CoapLink With(string name, string? value = null) =>
        new(Target, [.. _attributes.Where(attribute => !attribute.IsNamed(name)), new CoapLinkAttribute(name, value)]);

    /// <summary>Returns whether there is an attribute with a name, with or without value.</summary>
    /// <param name="name">The name; case-insensitive.</param>
    /// <returns>Whether there is one.</returns>
    public bool Has(string name) => Array.Exists(_attributes, attribute => attribute.IsNamed(name));

    /// <summary>Returns the value of the first attribute with a name.</summary>
    /// <param name="name">The name; case-insensitive.</param>
    /// <returns>The value; null if there is no such attribute or it has none.</returns>
    public string? GetValue(string name) => Array.Find(_attributes, attribute => attribute.IsNamed(name)).Value;

    /// <summary>Returns the absolute URI of the target (RFC 3986 section 5.2).</summary>
    /// <param name="baseUri">The absolute URI of the document, such as <c>coap://[2001:db8::1]/.well-known/core</c>.</param>
    /// <returns>The URI.</returns>
    public string ResolveTarget(string baseUri) => UriReferenceResolver.Resolve(baseUri, Target);

    /// <inheritdoc cref="ResolveTarget(string)"/>
    public string ResolveTarget(CoapUri baseUri)
    {
        ArgumentNullException.ThrowIfNull(baseUri);
        return ResolveTarget(baseUri.ToString());
    }

    /// <summary>
    /// Returns the absolute URI of the context: the anchor, otherwise scheme and authority of the target (RFC 6690 section 2.1).
    /// </summary>
    /// <param name="baseUri">The absolute URI of the document.</param>
    /// <returns>The URI.</returns>
    public string ResolveContext(string baseUri) =>
        Anchor is { } anchor ? UriReferenceResolver.Resolve(baseUri, anchor) : UriReferenceResolver.GetOrigin(ResolveTarget(baseUri));

    /// <inheritdoc cref="ResolveContext(string)"/>
    public string ResolveContext(CoapUri baseUri)
    {
        ArgumentNullException.ThrowIfNull(baseUri);
        return ResolveContext(baseUri.ToString());
    }

    /// <summary>Returns the link in link format.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => CoapLinkFormat.Format([this]);

    private string[] GetList(string name) => GetValue(name)?.Split(' ', StringSplitOptions.RemoveEmptyEntries) ?? [];
}
