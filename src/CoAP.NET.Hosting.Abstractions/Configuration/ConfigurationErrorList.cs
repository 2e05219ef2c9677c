using System.Collections.ObjectModel;
using System.Globalization;

namespace CoAP.NET.Hosting;

/// <summary>Findings of one kind. It has the first ones and counts the rest, so that a large broken file has a short error.</summary>
/// <param name="rest">What the rest is, such as <c>unknown keys</c>.</param>
internal sealed class ConfigurationErrorList(string rest) : Collection<string>
{
    /// <summary>The number of findings that are listed in full.</summary>
    public const int MaxListed = 20;

    private int _more;

    /// <summary>Adds a finding whose text is expensive, or counts it without its text.</summary>
    /// <param name="state">Passed to the function.</param>
    /// <param name="text">Makes the text. It quotes keys and values by <see cref="ConfigurationTextFormatter"/>.</param>
    public void Add<TState>(TState state, Func<TState, string> text) => Add(Count < MaxListed ? text(state) : "");

    /// <inheritdoc/>
    protected override void InsertItem(int index, string item)
    {
        if (index >= MaxListed)
        {
            index = MaxListed;
            item = string.Create(CultureInfo.InvariantCulture, $"There are {++_more} more {rest}.");
            if (_more > 1)
            {
                SetItem(index, item);
                return;
            }
        }

        base.InsertItem(index, item);
    }
}
