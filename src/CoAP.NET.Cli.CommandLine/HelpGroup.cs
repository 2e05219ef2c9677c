namespace CoAP.NET.Cli.CommandLine;

internal static class HelpGroup
{
    public const string Payload = "Payload";

    public const string Request = "Request";

    public const string Output = "Output";

    public const string Repetition = "Repetition";

    public const string Security = "Security";

    public const string Network = "Network";

    public const string Multicast = "Groups of servers (multicast)";
}
