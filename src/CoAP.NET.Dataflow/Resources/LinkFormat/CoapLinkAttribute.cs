using System.Globalization;
using CoAP.NET.Resources;

namespace CoAP.NET;

/// <summary>An attribute of a link: a name and perhaps a value (RFC 6690 section 2). A value is text without quotes and escapes.</summary>
public readonly record struct CoapLinkAttribute
{
    /// <summary>Makes an attribute.</summary>
    /// <param name="name">The name, such as <c>rt</c>. One that ends with a star takes an extended value, such as <c>UTF-8'en'%e2%82%ac</c>
    /// (RFC 5987).</param>
    /// <param name="value">The value; null for an attribute that is there or not, such as <c>obs</c>.</param>
    /// <exception cref="ArgumentException">The name is <c>href</c>, which is no attribute, or has characters that no name has; or the value
    /// has control characters, or is no extended value where one is needed.</exception>
    public CoapLinkAttribute(string name, string? value = null)
    {
        ArgumentNullException.ThrowIfNull(name);
        if (name.Equals("href", StringComparison.OrdinalIgnoreCase))
        {
            throw new ArgumentException(
                "'href' stands for the target in queries and is never an attribute (RFC 6690 section 2). Set the target of the link.",
                nameof(name));
        }

        if (!LinkSyntax.IsName(name))
        {
            throw new ArgumentException($"'{name}' cannot be the name of a link attribute (RFC 6690 section 2).", nameof(name));
        }

        if (name.EndsWith('*')
            ? !LinkSyntax.IsToken(value)
            : value is not null && value.Any(character => !LinkSyntax.IsTextCharacter(character)))
        {
            throw new ArgumentException(
                $"The value of '{name}' cannot be written (RFC 6690 section 2): a name with a star needs a token such as "
                    + "UTF-8'en'%e2%82%ac, any other text without control characters.", nameof(value));
        }

        Name = name;
        Value = value;
    }

    /// <summary>The name. Its case does not count.</summary>
    public string Name { get; }

    /// <summary>The value; null when there is none, which is another thing than an empty one.</summary>
    public string? Value { get; }

    /// <summary>Name and value for people.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => Value is null ? Name : $"{Name}={Value}";

    internal static string Join(IEnumerable<CoapContentFormat> formats) =>
        string.Join(' ', formats.Select(format => format.Value.ToString(CultureInfo.InvariantCulture)));

    internal bool IsNamed(string name) => Name.Equals(name, StringComparison.OrdinalIgnoreCase);
}
