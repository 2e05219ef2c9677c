using System.CommandLine;
using CoAP.NET.Cli.Commands;
using CoAP.NET.Cli.Files;

namespace CoAP.NET.Cli.CommandLine;

internal sealed class RequestOptions
{
    public Argument<string> Target { get; } = TargetArgument.Create();

    public PayloadOptions Payload { get; } = new();

    public MessageOptions Message { get; } = new();

    public BlockSizeOption Transfer { get; } = new();

    public OutputOptions Output { get; } = new();

    public ConnectionOptions Connection { get; } = new();

    public OscoreContextOption Oscore { get; } = new(
        "Protect requests by OSCORE with the context of this file, or of a directory of aiocoap, end to end through proxies. The "
            + "sequence numbers are next to it.");

    public EdhocOption Edhoc { get; } = new();

    /// <summary>Adds all of them to a command.</summary>
    /// <param name="command">The command.</param>
    /// <param name="hasPayload">Whether requests can have a payload.</param>
    /// <param name="hasFile">Whether payloads of responses can go to a file.</param>
    /// <param name="isContinuable">Whether an interrupted download can be continued.</param>
    public void AddTo(GroupedHelpCommand command, bool hasPayload = true, bool hasFile = true, bool isContinuable = false)
    {
        command.Arguments.Add(Target);
        if (hasPayload)
        {
            Payload.AddTo(command);
        }

        Message.AddTo(command);
        Transfer.AddTo(command);
        Output.AddTo(command, hasFile, isContinuable);
        Connection.AddTo(command);
        command.AddGroup(HelpGroup.Security, Oscore.Option, Edhoc.Option, Edhoc.Peer);
    }

    public CoapRequest ToRequest(ParseResult parse, CoapMethod method, CoapContent? content)
    {
        CoapRequest request = Message.ToRequest(parse, method, parse.GetRequiredValue(Target), content);
        Transfer.Apply(parse, request);
        request.LocalAddress = Connection.LocalAddress(parse);
        return request;
    }

    /// <summary>Opens the file of <c>--output</c> for a request.</summary>
    /// <exception cref="UsageException">An option does not go with <c>--continue</c>.</exception>
    public Task<OutputFile> OpenFileAsync(
        ParseResult parse, CliContext context, OutputPath path, CoapRequest request, CancellationToken cancellationToken)
    {
        string uri = TargetArgument.Complete(parse.GetRequiredValue(Target));
        bool isFromMiddle = request.Download is not null;
        if (!Output.IsContinued(parse))
        {
            bool isContinuable = request.Method == CoapMethod.Get && !isFromMiddle;
            return OutputFile.CreateAsync(context, path, uri, isContinuable, cancellationToken);
        }

        return !isFromMiddle
            ? OutputFile.ContinueAsync(context, path, uri, cancellationToken)
            : throw new UsageException("--continue finds the first block itself.", "Give --block-size a size without NUM.");
    }
}
