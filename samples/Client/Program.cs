// A client for the command line: Client get|post|put|delete|fetch|patch|ipatch|ping|discover URI [TEXT] [--non]
using CoAP.NET;

const string Usage = "usage: Client get|post|put|delete|fetch|patch|ipatch|ping|discover URI [TEXT] [--non]";
string[] words = [.. args.Where(word => word != "--non")];
bool isHelp = args is ["--help" or "-h"];
if (isHelp || words.Length is < 2 or > 3 || words.Any(word => word.StartsWith("--", StringComparison.Ordinal)))
{
    (isHelp ? Console.Out : Console.Error).WriteLine(Usage);
    return isHelp ? 0 : 2;
}

using CancellationTokenSource stop = new();
Console.CancelKeyPress += (_, pressed) =>
{
    pressed.Cancel = true;
    stop.Cancel();
};

await using CoapClient client = new();
try
{
    switch (words[0])
    {
        case "ping":
            Console.WriteLine($"{words[1]} answered in {(await client.PingAsync(words[1], stop.Token)).TotalMilliseconds:0.00} ms");
            return 0;
        case "discover":
            foreach (CoapLink link in await client.DiscoverAsync(words[1], words.ElementAtOrDefault(2), stop.Token))
            {
                Console.WriteLine(link);
            }

            return 0;
        default:
            if (!words[0].All(char.IsAsciiLetter) || !Enum.TryParse(words[0], ignoreCase: true, out CoapMethod method))
            {
                Console.Error.WriteLine($"'{words[0]}' is no request method. {Usage}");
                return 2;
            }

            CoapContent? content = words.Length > 2 ? CoapContent.Text(words[2]) : null;
            CoapRequest request = new(method, words[1]) { Confirmable = !args.Contains("--non"), Content = content };
            CoapResponse response = await client.SendAsync(request, stop.Token);
            Console.Error.WriteLine($"{response.Code} [{response.Options}]");
            Console.Write(response.Payload.IsEmpty ? "" : response.GetText() + Environment.NewLine);
            return response.IsSuccess ? 0 : 1;
    }
}
catch (OperationCanceledException)
{
    Console.Error.WriteLine("interrupted");
    return 130;
}
catch (Exception exception) when (exception is CoapException or ArgumentException)
{
    Console.Error.WriteLine(exception.Message);
    return 3;
}
