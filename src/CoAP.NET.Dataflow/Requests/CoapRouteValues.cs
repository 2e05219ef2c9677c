using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET;

/// <summary>The values of the parameters of a route template, such as <c>id</c> in <c>/devices/{id}</c>.</summary>
public sealed class CoapRouteValues
{
    private readonly string[] _names;
    private readonly string[] _values;

    internal CoapRouteValues(string[] names, string[] values)
    {
        _names = names;
        _values = values;
    }

    /// <summary>An empty set of values.</summary>
    public static CoapRouteValues Empty { get; } = new([], []);

    /// <summary>The number of values.</summary>
    public int Count => _values.Length;

    /// <summary>The value of a parameter.</summary>
    /// <param name="name">The name in the template, without braces.</param>
    /// <returns>The decoded segment.</returns>
    /// <exception cref="KeyNotFoundException">The template has no such parameter.</exception>
    public string this[string name] => TryGetValue(name, out string? value)
        ? value
        : throw new KeyNotFoundException(
            $"The route has no parameter '{name}'; it has: {(_names.Length == 0 ? "none" : string.Join(", ", _names))}.");

    /// <summary>Gets the value of a parameter.</summary>
    /// <param name="name">The name in the template, without braces.</param>
    /// <param name="value">The decoded segment.</param>
    /// <returns>Whether the template has it.</returns>
    public bool TryGetValue(string name, [NotNullWhen(true)] out string? value)
    {
        int index = Array.IndexOf(_names, name);
        value = index < 0 ? null : _values[index];
        return index >= 0;
    }
}
