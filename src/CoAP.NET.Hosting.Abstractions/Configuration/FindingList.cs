using System.Collections;
using System.Globalization;

namespace CoAP.NET.Hosting;

/// <summary>Findings of one kind. It holds the first ones and counts the rest, so that a large broken file has a short error.</summary>
/// <param name="rest">What the rest is, such as <c>unknown keys</c>.</param>
internal sealed class FindingList(string rest) : IReadOnlyList<string>
{
    /// <summary>The number of findings that are held in full.</summary>
    public const int MaxHeld = 20;

    private readonly List<string> _held = [];
    private int _more;

    /// <summary>The number of findings, where all that are only counted are one.</summary>
    public int Count => _held.Count + (_more > 0 ? 1 : 0);

    /// <summary>Whether further findings are only counted, so that their text is not needed.</summary>
    public bool IsFull => _held.Count == MaxHeld;

    public string this[int index] => index == _held.Count && _more > 0 ? Rest : _held[index];

    private string Rest => string.Create(CultureInfo.InvariantCulture, $"There are {_more} more {rest}.");

    /// <summary>Adds a finding, or counts it.</summary>
    /// <param name="text">The finding. It quotes keys and values by <see cref="ShownText"/>.</param>
    public void Add(string text)
    {
        if (IsFull)
        {
            _more++;
        }
        else
        {
            _held.Add(text);
        }
    }

    /// <summary>Adds a finding whose text is expensive, or counts it without its text.</summary>
    /// <param name="state">Passed to the function.</param>
    /// <param name="text">Makes the text.</param>
    public void Add<TState>(TState state, Func<TState, string> text) => Add(IsFull ? "" : text(state));

    public IEnumerator<string> GetEnumerator() => (_more > 0 ? _held.Append(Rest) : _held).GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
}
