namespace CoAP.NET.Speed.Engines;

/// <summary>Sends the same bytes to servers with different engines, and compares what comes back, byte for byte.</summary>
internal static class Comparison
{
    /// <summary>Compares engines and prints a table.</summary>
    /// <param name="engines">Their names; the first one is what the others are compared with.</param>
    /// <returns>Whether all answers are equal, and none is missing.</returns>
    public static bool Run(string[] engines)
    {
        Dictionary<string, Dictionary<string, string>> answers = [];
        foreach (string engine in engines)
        {
            using ServerProcess server = ServerProcess.Start(engine);
            answers[engine] = Conversations.All.ToDictionary(conversation => conversation.Name,
                conversation => conversation.Hold(server.Endpoint));
        }

        bool areEqual = true;
        Console.WriteLine($"| the same bytes to each server | {string.Join(" | ", engines)} |");
        Console.WriteLine($"|---|{string.Concat(engines.Select(_ => "---|"))}");
        foreach (Conversation conversation in Conversations.All)
        {
            string expected = answers[engines[0]][conversation.Name];
            List<string> cells = [];
            foreach (string engine in engines)
            {
                string answer = answers[engine][conversation.Name];
                bool isRight = answer == expected && !answer.EndsWith(Conversation.Missing, StringComparison.Ordinal);
                areEqual &= isRight;
                cells.Add(isRight ? "equal" : $"different: {Shorten(answer)}");
            }

            Console.WriteLine($"| {conversation.Name} | {string.Join(" | ", cells)} |");
        }

        Console.WriteLine();
        return areEqual;
    }

    private static string Shorten(string text) => text.Length <= 200 ? text : $"{text[..150]}...{text[^50..]}";
}
