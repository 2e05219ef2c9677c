using CoAP.NET.Browser.Checks;

// The name of a check, and the scheme, host and port of the server. What is wrong is thrown.
Checks checks = new(args[1]);
await (args[0] switch
{
    "requests" => checks.RequestsAsync(),
    "bodies" => checks.BodiesAsync(),
    "observation" => checks.ObservationAsync(),
    "cancellation" => checks.CancellationAsync(),
    "ping" => checks.PingAsync(),
    "reconnection" => checks.ReconnectionAsync(),
    "disposal" => checks.DisposalAsync(),
    "serving" => checks.ServingAsync(),
    "many" => checks.ManyAsync(),
    "absent" => Checks.AbsentServerAsync(),
    "schemes" => Checks.SchemesAsync(),
    "options" => checks.OptionsAsync(),
    _ => throw new ArgumentException($"There is no check {args[0]}."),
});
