using System.CommandLine;

namespace CoAP.NET.Load.CommandLine;

/// <summary>The load generator as a program of its own.</summary>
internal static class LoadProgram
{
    public const string Name = "coap-load";

    public static Command Create(CliContext context)
    {
        Command root = BenchCommand.Create(context, Name, Name);
        CommandProgram.AddOptions(root, context);
        return root;
    }
}
