using System.CommandLine;

namespace CoAP.NET.Cli;

/// <summary>A command whose help shows its options in groups, and examples.</summary>
/// <param name="name">The name.</param>
/// <param name="description">The first line of the help.</param>
internal sealed class GroupedHelpCommand(string name, string description) : Command(name, description)
{
    private readonly List<(string Title, List<Option> Options)> _groups = [];

    /// <summary>The groups in the order of the help. Other options follow them.</summary>
    public IReadOnlyList<(string Title, List<Option> Options)> Groups => _groups;

    public IReadOnlyList<string> Examples { get; init; } = [];

    /// <summary>The titles of groups whose options the help only names. The help of the topic describes them.</summary>
    public IReadOnlyList<string> Folded { get; init; } = [];

    /// <summary>Adds options to a group, which the first ones create.</summary>
    public void AddGroup(string title, params IEnumerable<Option> options)
    {
        List<Option>? group = _groups.FirstOrDefault(group => group.Title == title).Options;
        if (group is null)
        {
            _groups.Add((title, group = []));
        }

        foreach (Option option in options)
        {
            group.Add(option);
            Options.Add(option);
        }
    }
}
