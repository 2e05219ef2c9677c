using System.CommandLine;

namespace CoAP.NET.Cli.CommandLine;

/// <summary>The classes of responses that the client does not want (RFC 7967).</summary>
internal static class NoResponseParser
{
    public static Option<string?> Option()
    {
        Option<string?> option = new("--no-response")
        {
            Description = "Responses that the client does not want (RFC 7967): all, or classes such as 2 or 2,4,5. With all, the command "
                + "ends when the request is sent, or acknowledged.",
            HelpName = "CLASSES",
        };
        option.CompletionSources.Add("all", "2", "4", "5", "2,4", "2,5", "4,5");
        option.Validators.Add(result =>
        {
            if (result.Tokens is [{ Value: var text }] && !TryParse(text, out _))
            {
                result.AddError($"'{text}' is not a list of response classes. Write all, or some of 2, 4, 5 with commas.");
            }
        });
        return option;
    }

    public static NoResponseClasses Parse(string? text) =>
        text is not null && TryParse(text, out NoResponseClasses classes) ? classes : NoResponseClasses.None;

    private static bool TryParse(string text, out NoResponseClasses classes)
    {
        classes = NoResponseClasses.None;
        foreach (string part in text.Split(','))
        {
            NoResponseClasses one = part.Trim() switch
            {
                "all" => NoResponseClasses.All,
                "2" or "2.xx" => NoResponseClasses.Success,
                "4" or "4.xx" => NoResponseClasses.ClientError,
                "5" or "5.xx" => NoResponseClasses.ServerError,
                _ => NoResponseClasses.None,
            };
            if (one == NoResponseClasses.None)
            {
                return false;
            }

            classes |= one;
        }

        return true;
    }
}
