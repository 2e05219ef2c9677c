namespace CoAP.NET.Cli;

internal static class HelpGroup
{
    public const string Payload = "Payload";

    public const string Request = "Request";

    public const string Message = "Message";

    public const string Output = "Output";

    public const string Repetition = "Repetition";

    public const string Security = "Security";

    public const string Network = "Network";

    public const string Multicast = "Groups of servers (multicast)";

    /// <summary>The groups whose options the help of a request only names: most requests need none of them.</summary>
    public static IReadOnlyList<string> Rare { get; } = [Message, Security, Network, Repetition, Multicast];

    /// <summary>Returns the word that stands for a group on the command line.</summary>
#pragma warning disable CA1308 // words on the command line are in lower case
    public static string TopicOf(string title) => title.Split(' ')[0].ToLowerInvariant();
#pragma warning restore CA1308
}
