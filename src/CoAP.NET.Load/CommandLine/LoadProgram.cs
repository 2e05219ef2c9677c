using System.CommandLine;

namespace CoAP.NET.Load;

/// <summary>The load generator as a program of its own.</summary>
internal static class LoadProgram
{
    /// <summary>How it is called.</summary>
    public const string Name = "coap-load";

    /// <summary>Creates the command line.</summary>
    /// <param name="context">The environment of the commands.</param>
    public static Command Create(CliContext context)
    {
        Command root = BenchCommand.Create(context, Name, Name);
        CommandProgram.AddOptions(root, context);
        return root;
    }
}
