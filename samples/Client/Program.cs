// A client for the command line: Client get|post|put|delete|fetch|patch|ipatch|ping|discover URI [TEXT] [--non]
using CoAP.NET;

const string Usage = "usage: Client get|post|put|delete|fetch|patch|ipatch|ping|discover URI [TEXT] [--non]";
if (args is ["--help" or "-h"])
{
    Console.WriteLine(Usage);
    return 0;
}

string[] words = [.. args.Where(word => word != "--non")];
if (words.Length is < 2 or > 3 || words.Any(word => word.StartsWith("--", StringComparison.Ordinal)))
{
    Console.Error.WriteLine(Usage);
    return 2;
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
                Console.Error.WriteLine($"'{words[0]}' is no request method.");
                Console.Error.WriteLine(Usage);
                return 2;
            }

            CoapRequest request = new(method, words[1]) { Confirmable = !args.Contains("--non") };
            if (words.Length > 2)
            {
                request.Content = CoapContent.Text(words[2]);
            }

            CoapResponse response = await client.SendAsync(request, stop.Token);
            Console.Error.WriteLine($"{response.Code} [{response.Options}]");
            if (!response.Payload.IsEmpty)
            {
                Console.WriteLine(response.GetText());
            }

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
