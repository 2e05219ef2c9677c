using System.Globalization;

namespace CoAP.NET.Hosting;

/// <summary>
/// Keys or sections without effect. It has the first ones and counts the rest, so that a large broken file has a short log.
/// </summary>
/// <param name="kind">What they are, such as <c>unknown keys</c>.</param>
/// <param name="statement">What a text says of each, between its path and the reason.</param>
internal sealed class UnusedConfigurationList(string kind, string statement)
{
    private readonly List<UnusedConfigurationKey> _first = [];

    /// <summary>What they are, such as <c>unknown keys</c>.</summary>
    public string Kind => kind;

    /// <summary>The first ones, up to <see cref="ConfigurationErrorList.MaxListed"/>.</summary>
    public IReadOnlyList<UnusedConfigurationKey> First => _first;

    /// <summary>The number of further ones.</summary>
    public int MoreCount { get; private set; }

    /// <summary>A text for each of the first ones, and one for the rest.</summary>
    public IEnumerable<string> Texts => MoreCount == 0
        ? _first.Select(TextOf)
        : _first.Select(TextOf).Append(string.Create(CultureInfo.InvariantCulture, $"There are {MoreCount} more {kind}."));

    /// <summary>Adds one, or only counts it.</summary>
    /// <param name="state">Passed to the function.</param>
    /// <param name="explain">Explains it, which is expensive.</param>
    public void Add<TState>(TState state, Func<TState, UnusedConfigurationKey> explain)
    {
        if (_first.Count < ConfigurationErrorList.MaxListed)
        {
            _first.Add(explain(state));
        }
        else
        {
            MoreCount++;
        }
    }

    private string TextOf(UnusedConfigurationKey unused) => $"{unused.Path} {statement} {unused.Reason}";
}
