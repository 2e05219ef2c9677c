using System.Collections;
using System.Globalization;

namespace CoAP.NET.Hosting.Configuration;

/// <summary>
/// Findings of one kind, as texts. It has the first ones and counts the rest, so that a large broken file has a short error and a short
/// log.
/// </summary>
/// <param name="kind">What they are, such as <c>unknown keys</c>.</param>
/// <param name="textOf">Makes the text of one.</param>
internal sealed class ConfigurationFindingList<T>(string kind, Func<T, string> textOf) : IEnumerable<string>
{
    /// <summary>The number of findings that are listed in full.</summary>
    public const int MaxListed = 20;

    private readonly List<T> _first = [];

    /// <summary>What they are, such as <c>unknown keys</c>.</summary>
    public string Kind => kind;

    /// <summary>The first ones, up to <see cref="MaxListed"/>.</summary>
    public IReadOnlyList<T> First => _first;

    /// <summary>The number of further ones.</summary>
    public int MoreCount { get; private set; }

    /// <summary>Adds a finding.</summary>
    public void Add(T finding) => Add(finding, static one => one);

    /// <summary>Adds a finding that is expensive to make, or only counts it.</summary>
    /// <param name="state">Passed to the function.</param>
    /// <param name="make">Makes it.</param>
    public void Add<TState>(TState state, Func<TState, T> make)
    {
        if (_first.Count < MaxListed)
        {
            _first.Add(make(state));
        }
        else
        {
            MoreCount++;
        }
    }

    /// <summary>A text for each of the first ones, and one for the rest.</summary>
    public IEnumerator<string> GetEnumerator()
    {
        IEnumerable<string> texts = _first.Select(textOf);
        return (MoreCount == 0 ? texts : texts.Append(string.Create(CultureInfo.InvariantCulture, $"There are {MoreCount} more {kind}.")))
            .GetEnumerator();
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
}
